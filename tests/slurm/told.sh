#!/bin/sh
# told.sh COMMAND...: a rank says where it runs and what Slurm told it there, and becomes the command.
echo "rank ${OMPI_COMM_WORLD_RANK:-$PMIX_RANK} on $(hostname) was told ${SLURM_TOPOLOGY_ADDR:-nothing}"
exec "$@"
