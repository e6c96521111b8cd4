#!/bin/sh
# mpirun.sh MPIRUN ARGUMENTS...
# Runs Open MPI 5.0's mpirun so that jobs of one user on one node can run side by side. mpirun names a job's files in
# /dev/shm by 16 bits of a hash of host name and its process id: the jobs of processes 32140 and 32167 on a host
# named "vm" share theirs, and crash in mca_btl_sm_poll_handle_frag. Here each job uses one of a few folders while
# one of its processes lives.
mpirun=$1
shift
of_user=${STRATA_TESTS_SHM:-/dev/shm}/strata-tests-$(id -u)
for number in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31; do
    mkdir -p -m 700 "$of_user/$number" 2>/dev/null || break
    exec 9<"$of_user/$number" || break
    if flock -n 9; then
        export OMPI_MCA_btl_sm_backing_directory="$of_user/$number"
        exec "$mpirun" "$@"
    fi
done
echo "mpirun.sh: no folder of its own for this job's shared memory below $of_user" >&2
exit 1
