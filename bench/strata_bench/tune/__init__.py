"""The tuner `bench/tune`: measures a cluster's links and the cost model's close choices; writes rules.
command_line    options and the sequence of steps
session         one run, step by step
hierarchy       the levels of the job, and pairs of ranks that meet on each
links           measured links of each level
plans           the cost model's choice and its close alternatives
jobs            the jobs that measure
cells           an operation of a size, and the results of its contenders
race            finds the best contender of each cell within a time budget
decide          new choices, and the quality of the previous ones
rules           the rules file and the tuner's part of it
report, plot    Markdown, CSV, JSON, the map of all cells
`measuring` holds the common parts of all benchmarks."""
