import sys

from . import command_line

sys.exit(command_line.main(sys.argv[1:]))
