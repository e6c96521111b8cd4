"""Common parts of the benchmarks: programs timed on the emulated cluster, with all competitors in turn.
cli             options of the command line
command         packages and build, results folder, end of a benchmark
cluster         the emulated cluster, always taken down
launcher        the user's own mpirun or srun instead
place           the choice between both, by options
store           results in files
files, folders  text, JSON and CSV; this source tree
results         folders in which a benchmark may delete
competitors     competitors as options of mpirun
limits          the least time that the links of a cluster allow
operations      the collective operations: meaning of their size, receivers of a result
series          data of a competitor: times, errors, plans
rounds          rounds over cases and competitors, a run for each
shared_run      a run that competitors share
table           the cells of tables, and colours
gnuplot         plots
progress        the progress line
intervals       medians with confidence intervals
welch           differences of means with confidence intervals
units           sizes, rates and times as text"""
