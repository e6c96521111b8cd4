"""Real programs from Debian packages on the emulated cluster, without and with the plugin: `bench/apps`.

command_line    options and the order of events
application     what an application has to have
lammps, quantum_espresso, mpqc, elk
                one each: its input, and where its numbers are
catalogue       all of them
comparison      runs of one application; its numbers must agree
profile         where its ranks spent their time
report, plot    what was found

`bench/demo` runs one of them, too. What all benchmarks share is in `measuring`.
"""
