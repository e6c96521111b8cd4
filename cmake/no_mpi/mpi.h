#error "MPI is out of bounds in this room: only component/ and introspection/ may use it"
