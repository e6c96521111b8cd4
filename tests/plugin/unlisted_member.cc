// Reads a member that is in no table: layout_table.py must find it.
#include "component/openmpi/ompi_compat.h"

bool unlisted(const ompi_communicator_t* comm) { return comm->c_remote_group != nullptr; }
