"""bench/introspection: what applications gain that know the hardware.

figure        what a module of figures offers
examples      the example applications, by hierarchies of the hardware and by others
command_line  options, and the order of events
"""
