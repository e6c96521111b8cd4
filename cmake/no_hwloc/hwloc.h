#error "hwloc is out of bounds in this room: only topology/ may use it"
