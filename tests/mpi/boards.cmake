# The node engine: who has boards.
string(REPLACE ";" "," by_node "${collectives_by_node}")
strata_mpi_test(selected.all.node selected 4 --op ${by_node} --expect node --bytes 20000 LAYOUT roomy ENGINE node)
# Ranks on several nodes have no boards.
strata_mpi_test(selected.several_nodes selected 8 --expect tree LAYOUT one_two_five ENGINE node)
strata_mpi_test(can_fail.several_nodes selected 8 --expect node LAYOUT one_two_five ENGINE node
                MUST_PRINT "coll_strata_bcast_tree grew by")
# Ranks that disagree about sizes.
strata_mpi_test(truncated_messages.node truncated_messages 6 LAYOUT roomy COLLECTIVES ${collectives_by_node}
                ENGINE node)
foreach(collective Bcast Reduce Allreduce)
  strata_mpi_test(truncated_messages.node.${collective} truncated_messages 6 --everywhere --only ${collective}
                  LAYOUT roomy COLLECTIVES ${collectives_by_node} ENGINE node)
endforeach()
set(boards_setup LAYOUT roomy COLLECTIVES allreduce ENGINE node)
foreach(what unopenable elements many refused stopped)
  strata_mpi_test(boards.${what} boards 2 --what ${what} ${boards_setup} MCA coll_strata_setup_after=0)
endforeach()
strata_mpi_test(boards.killed boards 4 --what killed ${boards_setup} MCA coll_strata_setup_after=0
                MUST_PRINT "signal 9 .Killed.")
# Process 0, which writes the dump, notes no sizes that pass through; the others do.
strata_mpi_test(boards.elements.dump boards 3 --what elements ${boards_setup}
                MCA coll_strata_setup_after=0 coll_strata_dump=${CMAKE_CURRENT_BINARY_DIR}/boards.json)
strata_mpi_test(boards.elements.plans boards 2 --what elements ${boards_setup}
                MCA coll_strata_setup_after=0 coll_strata_check_plans=1)
strata_mpi_test(boards.unopenable.plans boards 3 --what unopenable ${boards_setup}
                MCA coll_strata_setup_after=0 coll_strata_check_plans=1)
strata_mpi_test(can_fail.boards.refused boards 2 --what refused --sabotage keys ${boards_setup}
                MCA coll_strata_setup_after=0 MUST_PRINT "a communicator with other keys on a rank is served")
strata_mpi_test(can_fail.boards boards 2 --what unopenable --sabotage descriptors ${boards_setup}
                MCA coll_strata_setup_after=0 MUST_PRINT "the node engine served calls")
