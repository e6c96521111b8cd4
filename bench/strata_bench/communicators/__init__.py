"""bench/communicators: the cost of a new communicator.
costs         measurements as a table, compared with the limits
plot          the same as a picture
command_line  options and the sequence of steps"""
