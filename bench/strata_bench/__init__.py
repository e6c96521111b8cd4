"""The benchmarks: one command, `bench/strata-bench`, with a package for each of its sub-commands.
cluster         the emulated cluster, on which the others measure
demo, apps      programs without and with the plugin
compare, nuioa, communicators, introspection
                measurements of the plugin
tune            rules for a cluster
simulate        figures of the papers on simulated ranks
measuring       common parts of all of them
Every sub-command has a module command_line with its options and its sequence of steps."""
