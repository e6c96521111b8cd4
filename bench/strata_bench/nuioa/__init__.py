"""The benchmark `bench/nuioa`: what leaders near the NIC are worth.

command_line    options and the order of events
cases           what is measured: the headline, the figures of the paper, Reduce, Gather, Allgather, and against
                which limits
report          tables and verdicts, beside the paper's statements
plot            the plots, in the paper's form
"""
