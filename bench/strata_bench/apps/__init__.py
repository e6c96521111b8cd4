"""Real programs from Debian packages on the emulated cluster, without and with the plugin: `bench/apps`.
command_line    options and the sequence of steps
application     the interface of an application
lammps, quantum_espresso, mpqc, elk
                one application each: its input and where it prints its numbers
catalogue       all applications
comparison      runs of one application, whose numbers must agree
profile         where its ranks spent their time
report, plot    results
`bench/demo --app` runs one of the applications, too. `measuring` holds the common parts of all benchmarks."""
