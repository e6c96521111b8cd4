"""The benchmarks: one command, `bench/strata-bench`, with a package for each of its sub-commands.

cluster         the emulated cluster; the others measure on it
demo, apps      programs without and with the plugin
compare, nuioa, communicators, introspection
                what is measured of the plugin
tune            rules for a cluster
simulate        figures of the papers on simulated ranks
measuring       what all of them share

Every sub-command has a module command_line with its options and the order of events.
"""
