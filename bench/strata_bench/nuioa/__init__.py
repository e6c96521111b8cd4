"""The benchmark `bench/nuioa`: the gain by NIC-local leaders.
command_line    options and the sequence of steps
cases           cases: the headline, the figures of the paper, Reduce, Gather, Allgather; their limits
report          tables and conclusions, compared with the paper's statements
plot            the plots, in the paper's form"""
