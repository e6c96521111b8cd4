// Reads a member that no table has: layout_table.py must find it.
#include "component/openmpi/ompi_compat.h"

bool unlisted(const ompi_communicator_t* comm) { return comm->c_remote_group != nullptr; }
