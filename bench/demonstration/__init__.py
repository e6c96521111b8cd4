"""The demonstration `bench/demo`: one program, one cluster, three ways of running MPI_Bcast.

command_line    options and the order of events
cluster         the emulated cluster, taken down whatever happens
competitors     what is compared, as options of mpirun
measure         rounds over the competitors
report          the table and the verdict
plot            the plot, by gnuplot
applications    real programs from Debian, with and without the plugin
progress        the line that says how far it is
units           sizes, rates and times as text
"""
