find_program(STRATA_MPIRUN NAMES mpirun.openmpi mpirun REQUIRED DOC "mpirun of Open MPI")
