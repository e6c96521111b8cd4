# MPI_T variables of one communicator and of the process, for every engine and every collective that has it.
foreach(engine tree levels)
  strata_mpi_test(communicator_counters.${engine} communicator_counters 8 --op ${collectives_option}
                  --expect ${engine} LAYOUT cyclic ENGINE ${engine})
endforeach()
strata_mpi_test(communicator_counters.ring communicator_counters 8 --op allreduce,allgather,allgatherv --expect ring
                --bytes 20000 LAYOUT cyclic ENGINE ring COLLECTIVES allreduce allgather allgatherv)
string(REPLACE ";" "," by_rails "${collectives_by_rails}")
strata_mpi_test(communicator_counters.rails communicator_counters 8 --op ${by_rails} --expect rails --bytes 400000
                LAYOUT two_nics ENGINE rails)
string(REPLACE ";" "," by_node "${collectives_by_node}")
strata_mpi_test(communicator_counters.node communicator_counters 4 --op ${by_node} --expect node --bytes 20000
                LAYOUT roomy COLLECTIVES ${collectives_by_node} ENGINE node)
# Reasons why calls are passed through to Open MPI. plugin.agreement tests the reasons of differing processes
# (missing, version, settings), setup_failures tests `failure`. Processes that agree in all compared facts compute
# the same plans: the agreements test provokes `plans` directly.
function(strata_reason_test reason ranks)
  strata_mpi_test(communicator_counters.${reason} communicator_counters ${ranks} --expect forward --reason ${reason}
                  ${ARGN})
endfunction()
strata_reason_test(chosen 4 --op ${collectives_option} LAYOUT block ENGINE forward)
strata_reason_test(early 4 --op bcast,reduce,allreduce,allgather,barrier,gather,scatter --bytes 8 LAYOUT cyclic)
strata_reason_test(no_hierarchy 4 --op bcast,gather LAYOUT roomy
                   MCA coll_strata_setup_after=0 coll_strata_shared_memory=0)
strata_reason_test(model 11 --op allreduce --bytes 16 LAYOUT oversubscribed_cores
                   MCA coll_strata_setup_after=0 coll_strata_shared_memory=0)
strata_reason_test(order 8 --op reduce,allreduce --ordered LAYOUT cyclic ENGINE tree)
strata_reason_test(several_jobs 2 --op bcast,allgather --spawn LAYOUT cyclic BTL self,tcp)
# Each check can fail.
foreach(case
        "calls,comm_tree of the first communicator is 5 instead of 6"
        "process,bcast_tree grew by 12, comm_tree of both communicators by 11"
        "bytes,bytes are not those that the ranks lack, once"
        "setup,its set-up took no time"
        "memory,a communicator that is set up takes no more memory")
  string(REGEX REPLACE "^([a-z]+),(.*)$" "\\1;\\2" case ${case})
  list(GET case 0 sabotage)
  list(GET case 1 words)
  strata_mpi_test(can_fail.communicator_counters.${sabotage} communicator_counters 4 --sabotage ${sabotage}
                  LAYOUT cyclic ENGINE tree MUST_PRINT "${words}")
endforeach()
strata_mpi_test(can_fail.communicator_counters.reason communicator_counters 4 --expect forward --reason model
                LAYOUT block ENGINE forward MUST_PRINT "comm_forward_(chosen|model) of the first communicator is")
# While another thread calls.
foreach(engine tree levels)
  strata_mpi_test(watching_thread.${engine} watching_thread 4 LAYOUT cyclic ENGINE ${engine})
endforeach()
strata_mpi_test(watching_thread.auto watching_thread 4 LAYOUT cyclic MCA coll_strata_setup_after=0)
strata_mpi_test(can_fail.watching_thread watching_thread 4 --sabotage counted LAYOUT cyclic
                MUST_PRINT "became less")
# Time that MPI_Init spends in the plugin.
strata_mpi_test(start_time start_time 4 LAYOUT cyclic)
strata_mpi_test(can_fail.start_time start_time 2 --sabotage all LAYOUT cyclic
                MUST_PRINT "MPI_Init spent more time in the plugin than it took")
strata_mpi_test(can_fail.start_time.nothing start_time 2 --sabotage nothing LAYOUT cyclic
                MUST_PRINT "MPI_Init took no time in the plugin")
strata_mpi_test(can_fail.start_time.later start_time 2 --sabotage later LAYOUT cyclic
                MUST_PRINT "later work counts for MPI_Init")
