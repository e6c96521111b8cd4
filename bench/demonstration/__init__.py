"""The demonstration `bench/demo`: one program, one cluster, three ways of running MPI_Bcast.

command_line    options and the order of events
measure         what is measured, and against which limit
report          the table and the verdict
plot            the plot
applications    real programs from Debian, with and without the plugin

What other benchmarks need as well is in `measuring`.
"""
