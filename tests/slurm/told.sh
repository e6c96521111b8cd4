#!/bin/sh
# told.sh COMMAND...: a rank prints its host and Slurm's variables there, then executes the command.
echo "rank ${OMPI_COMM_WORLD_RANK:-$PMIX_RANK} on $(hostname) was told ${SLURM_TOPOLOGY_ADDR:-nothing}"
exec "$@"
