"""bench/communicators: what a new communicator costs.

costs         what was measured, as a table, and beside the limits
plot          the same as a picture
command_line  options, and the order of events
"""
