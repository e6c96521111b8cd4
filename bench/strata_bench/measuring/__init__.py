"""What the benchmarks share: programs timed on the emulated cluster, in turn with their competitors.

cli             options of the command line
command         packages and build, results folder, how a benchmark ends
cluster         the emulated cluster, taken down whatever happens
launcher        the user's own mpirun or srun instead
place           which of both, by options
store           what was measured, in files
files, folders  text, JSON and CSV; where this source tree is
results         folders that a benchmark may delete in
competitors     what is compared, as options of mpirun
limits          the least time that the links of a cluster allow
operations      the collective operations: what their size means, who gets a result
series          what is known of a competitor: times, mistakes, plans
rounds          rounds over cases and competitors, a run for each
shared_run      a run that competitors share
table           the cells of tables, and colours
gnuplot         plots
progress        the line that says how far it is
intervals       medians and what is known about them
welch           differences of means and what is known about them
units           sizes, rates and times as text
"""
