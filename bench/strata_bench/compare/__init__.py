"""The comparison `bench/compare`: operations, sizes and orders with every component and mock-up; the gate.
command_line    options and the sequence of steps
grid            cells: everything to measure, the gate's sample, and the parts that share a run
contenders      the compared components and mock-ups
places          one cluster, a grid of clusters, or the user's launcher
setting         placement of ranks there
measure         cells of one order, in rounds
store           finished cells in files
judge           criteria: too slow, or breaks a guideline
survey          run after run; the gate's second look
report, plot    table, CSV, JSON; plots
summary         results of all places together
`measuring` holds the common parts of all benchmarks."""
