"""bench/introspection: what applications gain that know the hardware.

figure        what a module of figures offers
examples      the example applications, by hierarchies of the hardware and by others
reordering    ranks dealt out anew: what is run, and what it tells
link_loads    what the busiest link carries before and after that
reordering_report, heat_map   the same as tables, words and picture
monitoring    sessions beside the wire, and their cost; by
  wire        patterns of messages
  series      session and NIC over time
  overhead    the cost of a Reduce
command_line  options, and the order of events
"""
