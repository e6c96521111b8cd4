# Each check can fail.
strata_mpi_test(can_fail.not_selected selected 4 MCA coll=^strata
                MUST_PRINT "the plugin is not loaded")
foreach(program bcast_roots bcast_types interleave comm_churn errors random_bcast random_collectives
                collective_semantics collective_errors)
  strata_mpi_test(can_fail.${program}.data ${program} 3 --sabotage data MUST_PRINT "expected 0x")
endforeach()
foreach(program bcast_roots comm_churn random_collectives collective_semantics)
  strata_mpi_test(can_fail.${program}.guard ${program} 3 --sabotage guard MUST_PRINT "guard byte|gap or guard at")
endforeach()
foreach(collective bcast reduce allreduce allgather allgatherv gather gatherv scatter scatterv)
  strata_mpi_test(can_fail.random.${collective} random_collectives 3 --iterations 200 --sabotage data
                  --collectives ${collective}
                  MUST_PRINT "${collective}, .*element at offset .*expected 0x.*to repeat: .*--first 0 --iterations")
endforeach()
strata_mpi_test(can_fail.random.order random_collectives 3 --iterations 200 --sabotage order
                --collectives allreduce MUST_PRINT "(text joining|matrix product).*expected 0x")
strata_mpi_test(can_fail.random.bits random_collectives 3 --iterations 200 --sabotage bits
                MUST_PRINT "got different bits")
strata_mpi_test(can_fail.random.repeat random_collectives 3 --iterations 200 --sabotage repeat
                MUST_PRINT "the same call again gave other bits")
strata_mpi_test(can_fail.random.barrier random_collectives 3 --iterations 20 --sabotage barrier
                --collectives barrier MUST_PRINT "left the Barrier [0-9]+ ns before rank")
strata_mpi_test(can_fail.random.unknown random_collectives 2 --collectives bcast,alltoall
                MUST_PRINT "unknown collective 'alltoall'")
strata_mpi_test(can_fail.against_basic random_collectives 3 --iterations 50 AGAINST_BASIC
                FIRST "--sabotage digest" MUST_PRINT "results differ from coll/basic's: iteration 25:")
strata_mpi_test(can_fail.intercommunicators intercommunicators 3 --sabotage result
                MUST_PRINT "not the other side's")
strata_mpi_test(can_fail.collective_errors.result collective_errors 3 --sabotage result
                MUST_PRINT "expected error class")
strata_mpi_test(can_fail.truncated_messages.result truncated_messages 2 --sabotage result
                MUST_PRINT "expected error class")
strata_mpi_test(can_fail.truncated_messages.guard truncated_messages 2 --sabotage guard
                MUST_PRINT "guard byte")
strata_mpi_test(can_fail.collective_huge.data collective_huge 2 --case allreduce --mib 8 --sabotage data
                MUST_PRINT "the result is not the exclusive or")
strata_mpi_test(can_fail.collective_huge.sparse collective_huge 2 --sabotage data MUST_PRINT "item 1150: expected")
strata_mpi_test(can_fail.collective_limits.data collective_limits 4 --reduced 1000 --sabotage data
                LAYOUT unequal ENGINE tree MUST_PRINT "expected 0x")
strata_mpi_test(can_fail.collective_limits.result collective_limits 4 --reduced 1000 --sabotage result
                LAYOUT unequal ENGINE tree MUST_PRINT "expected 42, got 43")
strata_mpi_test(can_fail.errors.result errors 3 --sabotage result MUST_PRINT "expected error class")
strata_mpi_test(can_fail.interleave.result interleave 3 --sabotage result
                MUST_PRINT "wrong sum|the wildcard receive got")
strata_mpi_test(can_fail.bcast_huge.data bcast_huge 2 --mib 8 --sabotage data
                MUST_PRINT "expected 0x")
strata_mpi_test(can_fail.bcast_huge.guard bcast_huge 2 --mib 8 --layout strided --sabotage guard
                MUST_PRINT "guard byte")
strata_mpi_test(can_fail.watchdog bcast_roots 3 --sabotage hang --watchdog 2
                MUST_PRINT "rank 0: watchdog: still at: .*root")
strata_mpi_test(can_fail.unknown_argument errors 2 --sabotag data MUST_PRINT "unknown argument '--sabotag'")
