"""The demonstration `bench/demo`: one program, one cluster, three ways of running collective operations.

command_line    options and the order of events
measure         what is measured
report          the table and the verdict
plot            the plots

Its real program is one of `apps`. What other benchmarks need as well is in `measuring`.
"""
