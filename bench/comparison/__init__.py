"""The comparison `bench/compare`: operations, sizes and orders with every component and mock-up; the gate.

command_line    options and the order of events
grid            cells: what there is to measure, and the gate's sample of it
contenders      who is compared
setting         where ranks are placed: on the emulated cluster, or by the user's launcher
measure         one cell
store           finished cells in files
judge           what counts as too slow, and which guideline is broken
survey          cell after cell; the gate's second look
report, plot    table, CSV, JSON; plots

What other benchmarks need as well is in `measuring`.
"""
