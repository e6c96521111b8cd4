"""Figures of the papers on simulated ranks: `bench/simulate`.

command_line    options and the order of events
figure          what a figure offers
enhancement, summa, leaders, vectors, multilevel, conjugate_gradient, choice, sensitivity
                one kind each
catalogue       all of them
runs            runs of the simulation
variation       machines with one number changed
"""
