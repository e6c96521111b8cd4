"""strata-bench COMMAND OPTIONS..."""

import importlib
import os
import sys

COMMANDS = {  # packages beside this file
    "demo": "what the plugin does to an unmodified program on an emulated cluster",
    "accept": "acceptance for a site, with a page to keep",
    "compare": "all components and mock-ups over operations, sizes and orders; the gate",
    "tune": "measure a cluster's links and close choices; write rules for it",
    "simulate": "simulate figures of the papers with the plugin's own code",
    "apps": "real programs from Debian, without and with the plugin",
    "nuioa": "gain by NIC-local leaders",
    "communicators": "cost of a new communicator",
    "introspection": "gain of applications by the introspection library",
    "cluster": "make an emulated cluster and run programs on it",
}


def _help():
    width = max(map(len, COMMANDS))
    lines = "\n".join(f"  {name:{width}}  {text}" for name, text in COMMANDS.items())
    return ("usage: strata-bench COMMAND [OPTIONS]\n\nBenchmarks of coll/strata. COMMAND is one of\n\n"
            f"{lines}\n\nstrata-bench COMMAND --help lists its options. bench/COMMAND is the same as "
            "bench/strata-bench COMMAND.")


def main(arguments):
    name, rest = (arguments or ["--help"])[0], arguments[1:]
    if name in ("-h", "--help"):
        print(_help())
        return 0
    if name not in COMMANDS:
        print(f"strata-bench: no command '{name}'; known: {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    return importlib.import_module(f"strata_bench.{name}.command_line").main(rest)


if __name__ == "__main__":
    # The folder of the package, instead of the package's own: Python looks there first.
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.exit(main(sys.argv[1:]))
