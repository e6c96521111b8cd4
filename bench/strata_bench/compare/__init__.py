"""The comparison `bench/compare`: operations, sizes and orders with every component and mock-up; the gate.

command_line    options and the order of events
grid            cells: what there is to measure, the gate's sample of it, and what shares a run
contenders      who is compared
places          one cluster, a grid of them, or the user's launcher
setting         where ranks are placed there
measure         cells of one order, in rounds
store           finished cells in files
judge           what counts as too slow, and which guideline is broken
survey          run after run; the gate's second look
report, plot    table, CSV, JSON; plots
summary         what all places show together

What other benchmarks need as well is in `measuring`.
"""
