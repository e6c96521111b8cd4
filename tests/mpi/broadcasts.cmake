# Broadcasts, and programs that create, use and free communicators. First ranks on the real machine, where the plugin
# chooses freely.
foreach(ranks 1 2 3 4 7 8 11 16)
  strata_mpi_test(bcast_roots.${ranks} bcast_roots ${ranks})
endforeach()
# Layouts by engines. Few ranks suffice where the layout gives the shape.
foreach(layout block cyclic shuffled unequal nics deep)
  foreach(engine auto tree levels)
    strata_mpi_test(bcast_roots.${layout}.${engine} bcast_roots 16 LAYOUT ${layout} ENGINE ${engine}
                    --large-roots 2)
  endforeach()
endforeach()
foreach(ranks 2 3 7 11)
  strata_mpi_test(bcast_roots.deep.tree.${ranks} bcast_roots ${ranks} LAYOUT deep ENGINE tree)
endforeach()
foreach(engine auto tree levels forward)
  strata_mpi_test(bcast_types.${engine} bcast_types 7 LAYOUT unequal ENGINE ${engine})
  strata_mpi_test(random_bcast.${engine} random_bcast 8 LAYOUT cyclic ENGINE ${engine} --iterations 750)
  strata_mpi_test(comm_churn.${engine} comm_churn 5 LAYOUT block ENGINE ${engine} --cycles 600)
  strata_mpi_test(interleave.${engine} interleave 6 LAYOUT cyclic ENGINE ${engine} --rounds 60)
  strata_mpi_test(threads.${engine} interleave 4 LAYOUT cyclic ENGINE ${engine} --threads 3 --rounds 60)
  strata_mpi_test(errors.${engine} errors 4 LAYOUT cyclic ENGINE ${engine})
endforeach()
foreach(engine auto levels)
  strata_mpi_test(threads.cm.${engine} interleave 4 LAYOUT cyclic ENGINE ${engine} --threads 3 --rounds 60 PML cm)
endforeach()
strata_mpi_test(comm_churn.nics comm_churn 8 LAYOUT nics ENGINE tree --cycles 600)
# MPI_Comm_split gathers on its parent: the plugin delegates levels and creates their communicators inside that call.
strata_mpi_test(comm_churn.delegation comm_churn 16 LAYOUT slow_links --cycles 300 MCA coll_strata_setup_after=0)
# Most communicators there see too few calls to be set up.
strata_mpi_test(comm_churn.settled comm_churn 5 LAYOUT block --cycles 600 MCA coll_strata_setup_after=0)
strata_mpi_test(random_bcast.nics random_bcast 12 LAYOUT nics ENGINE tree --iterations 450
                MCA coll_strata_hierarchy=none coll_strata_bcast_level_algorithms=cluster=pipeline)
# Without coll/tuned, the collectives that create a communicator are themselves built from broadcasts on it.
strata_mpi_test(bcast_roots.without_tuned bcast_roots 8 LAYOUT deep ENGINE levels MCA coll=^tuned)
# The other point-to-point layer of Debian's packages.
strata_mpi_test(bcast_roots.cm bcast_roots 8 LAYOUT deep ENGINE tree PML cm)
strata_mpi_test(bcast_types.cm bcast_types 4 LAYOUT cyclic ENGINE levels PML cm)
# Shapes and segment sizes per level, the smallest legal ones among them.
strata_mpi_test(bcast_types.segments bcast_types 8 LAYOUT deep ENGINE tree --cases 60
                MCA coll_strata_bcast_segsize=1000)
strata_mpi_test(random_bcast.chains random_bcast 11 LAYOUT deep ENGINE tree --iterations 650 --seed 2
                MCA coll_strata_bcast_level_algorithms=switch=chain,node=chain,numa=binomial)
# A rules file that selects the engine by size.
strata_mpi_test(random_collectives.rules random_collectives 11 --iterations 2000 --seed 70 LAYOUT rules)
strata_mpi_test(collective_semantics.rules collective_semantics 8 LAYOUT rules)
strata_mpi_test(against_basic.rules random_collectives 8 --iterations 500 --seed 71 LAYOUT rules AGAINST_BASIC)
