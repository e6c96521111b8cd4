"""What the benchmarks share: programs timed on the emulated cluster, in turn with their competitors.

command         options, packages and build, results folder, how a benchmark ends
cluster         the emulated cluster, taken down whatever happens
launcher        the user's own mpirun or srun instead
competitors     what is compared, as options of mpirun
operations      the collective operations: what their size means, who gets a result
rounds          rounds over cases and competitors
table           the cells of tables, and colours
gnuplot         plots
progress        the line that says how far it is
intervals       medians and what is known about them
units           sizes, rates and times as text
"""
