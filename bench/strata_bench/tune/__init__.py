"""The tuner `bench/tune`: measures a cluster's links and what the cost model puts close together; writes rules.

command_line    options and the order of events
session         one run, step by step
hierarchy       the levels of the job, and pairs of ranks that meet on each
links           what each level's links can do
plans           what the cost model chooses, and what it puts close to that
jobs            the jobs that measure
cells           an operation of a size, and what is known of its contenders
race            who is the best in each cell, within a budget of time
decide          what to do from now on; how good it was before
rules           the rules file: what the tuner owns there
report, plot    Markdown, CSV, JSON, the map of all cells

What other benchmarks need as well is in `measuring`.
"""
