"""bench/introspection: the gain of applications that know the hardware.
figure        the interface of a module of figures
examples      the example applications, by hierarchies of the hardware and by others
reordering    reordered ranks: the runs and their results
slow_links    the clusters on which ranks are reordered
link_loads    the load of the busiest link before and after reordering
reordering_report, heat_map   the same as tables, text and picture
conjugate_gradient            the NAS benchmarks' kernel without and with reordered ranks
conjugate_gradient_report     the same as tables, text, file and picture
monitoring    sessions compared with the wire, and their cost; by
  wire        patterns of messages
  series      session and NIC over time
  overhead    the cost of a Reduce or a ping-pong
command_line  options and the sequence of steps"""
