"""The demonstration `bench/demo`: one program, one cluster, three ways to run collective operations.
command_line    options and the sequence of steps
measure         the measured cases
report          the table and the conclusions
plot            the plots
Its real program (`--app`) is one of `apps`. `measuring` holds the common parts of all benchmarks."""
