# Random calls of all collectives of the list over layouts and engines. Their number takes three seconds on an idle
# machine of two cores; a busy machine makes as many.
set(ranks_block 12)
set(calls_block 1000)
set(ranks_cyclic 8)
set(calls_cyclic 1600)
set(ranks_shuffled 7)
set(calls_shuffled 1800)
set(ranks_unequal 11)
set(calls_unequal 1100)
set(ranks_deep 16)
set(calls_deep 700)
set(ranks_one_two_five 8)
set(calls_one_two_five 1700)
set(ranks_ascending 10)
set(ranks_nics 12)
set(calls_ascending 1200)
set(seed 10)
foreach(layout block cyclic shuffled unequal deep one_two_five ascending)
  foreach(engine auto tree levels)
    math(EXPR seed "${seed} + 1")
    strata_mpi_test(random_collectives.${layout}.${engine} random_collectives ${ranks_${layout}}
                    --iterations ${calls_${layout}} --seed ${seed} LAYOUT ${layout} ENGINE ${engine})
  endforeach()
endforeach()
foreach(layout cyclic deep three_nics)
  strata_mpi_test(random_collectives.${layout}.varied random_collectives 6 --iterations 3600 --seed 30
                  --vary-settings LAYOUT ${layout})
endforeach()
foreach(ranks 2 3 5)
  strata_mpi_test(random_collectives.forward.${ranks} random_collectives ${ranks} --iterations 2300 --seed ${ranks}
                  LAYOUT one_two_five ENGINE forward)
endforeach()
strata_mpi_test(random_collectives.cm random_collectives 4 --iterations 3000 --seed 31 LAYOUT cyclic ENGINE tree
                PML cm)
# Plans that skip levels.
strata_mpi_test(random_collectives.wide.auto random_collectives 16 --iterations ${calls_deep} --seed 60
                LAYOUT wide)
strata_mpi_test(random_collectives.wide.tree random_collectives 16 --iterations ${calls_deep} --seed 61
                LAYOUT wide ENGINE tree)
# All ranks equal, below a level that occurs twice.
strata_mpi_test(random_collectives.nested_groups.auto random_collectives 16 --iterations ${calls_deep} --seed 64
                LAYOUT nested_groups)
strata_mpi_test(random_collectives.nested_groups.varied random_collectives 16 --iterations ${calls_deep} --seed 65
                --vary-settings LAYOUT nested_groups)
# More ranks than processors.
strata_mpi_test(random_collectives.oversubscribed random_collectives 11 --iterations ${calls_deep} --seed 62
                LAYOUT oversubscribed)
strata_mpi_test(collective_semantics.oversubscribed collective_semantics 11 --collectives allreduce LAYOUT oversubscribed_cores)
# Rings on all levels of more than two.
set(calls_ring_block 700)
set(calls_ring_shuffled 1200)
set(calls_ring_unequal 700)
set(calls_ring_deep 450)
set(calls_ring_one_two_five 1100)
set(rings LAYOUT LAYOUT_OF_THE_TEST ENGINE ring COLLECTIVES allgather allgatherv)
foreach(layout block shuffled unequal deep one_two_five)
  string(REPLACE LAYOUT_OF_THE_TEST ${layout} options "${rings}")
  strata_mpi_test(collective_semantics.ring.${layout} collective_semantics ${ranks_${layout}}
                  --collectives allgather,allgatherv ${options})
  strata_mpi_test(random_collectives.ring.${layout} random_collectives ${ranks_${layout}}
                  --collectives allgather,allgatherv --iterations ${calls_ring_${layout}} --seed 50 ${options})
endforeach()
string(REPLACE LAYOUT_OF_THE_TEST deep options "${rings}")
strata_mpi_test(against_basic.ring random_collectives 11 --collectives allgather,allgatherv --iterations 500
                --seed 41 ${options} AGAINST_BASIC)
# Tiny messages, few in flight.
strata_mpi_test(random_collectives.ring.segments random_collectives 11 --collectives allgather,allgatherv
                --iterations 600 --seed 51 ${options}
                MCA coll_strata_window=1 coll_strata_allgather_segsize=1000 coll_strata_allgatherv_segsize=0)
strata_mpi_test(random_collectives.ring.mixed random_collectives 11 --collectives allgather,allgatherv
                --iterations 600 --seed 52 ${options}
                MCA coll_strata_allgather_level_algorithms=node=binomial
                    coll_strata_allgatherv_level_algorithms=switch=linear)
# Every collective of the list has these checks.
strata_mpi_test(random_collectives.listed random_collectives 4 --iterations 1000 --collectives
                ${collectives_option} LAYOUT cyclic ENGINE tree)
# Ranks on one node read each other's boards; among several nodes, only communicators of one node have boards.
foreach(layout roomy one_two_five)
  strata_mpi_test(random_collectives.${layout}.node random_collectives 6 --iterations 800 --seed 90 LAYOUT ${layout}
                  ENGINE node)
endforeach()
strata_mpi_test(random_collectives.oversubscribed.node random_collectives 11 --iterations 250 --seed 91
                LAYOUT oversubscribed ENGINE node)
# The model's own choice on MPI_COMM_WORLD.
strata_mpi_test(random_collectives.roomy.auto random_collectives 4 --iterations 400 --seed 93 LAYOUT roomy
                MCA coll_strata_setup_after=0 coll_strata_check_plans=1)
strata_mpi_test(collective_semantics.node collective_semantics 5 --collectives bcast,reduce,allreduce,barrier
                LAYOUT roomy ENGINE node)
strata_mpi_test(against_basic.node random_collectives 5 --collectives bcast,reduce,allreduce,barrier --iterations 500
                --seed 92 LAYOUT roomy ENGINE node AGAINST_BASIC)
# Trees over several NICs: two NIC-local to every node's processes, one, or none.
foreach(layout nics two_nics three_nics cyclic)
  strata_mpi_test(random_collectives.${layout}.rails random_collectives 12 --iterations 1100 --seed 50
                  LAYOUT ${layout} ENGINE rails)
endforeach()
foreach(layout two_nics three_nics)
  strata_mpi_test(bcast_roots.${layout}.rails bcast_roots 12 LAYOUT ${layout} ENGINE rails --large-roots 2)
  strata_mpi_test(collective_semantics.${layout}.rails collective_semantics 8 --watchdog 170
                  LAYOUT ${layout} ENGINE rails)
endforeach()
strata_mpi_test(random_collectives.rails.segments random_collectives 8 --iterations 1200 --seed 51
                --collectives bcast,allreduce,allgather,allgatherv LAYOUT two_nics ENGINE rails
                MCA coll_strata_bcast_segsize=1000 coll_strata_allreduce_segsize=1000
                    coll_strata_allgather_segsize=1000 coll_strata_allgatherv_segsize=0)
strata_mpi_test(random_collectives.rails.cm random_collectives 8 --iterations 1500 --seed 52 LAYOUT two_nics
                ENGINE rails PML cm)
strata_mpi_test(threads.rails interleave 8 LAYOUT two_nics ENGINE rails --threads 3 --rounds 60)
strata_mpi_test(comm_churn.rails comm_churn 8 LAYOUT two_nics ENGINE rails --cycles 600)
foreach(engine auto tree levels)
  strata_mpi_test(against_basic.${engine} random_collectives 8 --iterations 500 --seed 40
                  LAYOUT one_two_five ENGINE ${engine} AGAINST_BASIC)
  strata_mpi_test(collective_errors.${engine} collective_errors 6 LAYOUT cyclic ENGINE ${engine})
  strata_mpi_test(intercommunicators.${engine} intercommunicators 7 LAYOUT unequal ENGINE ${engine})
endforeach()
strata_mpi_test(collective_errors.forward collective_errors 6 LAYOUT cyclic ENGINE forward)
foreach(engine auto tree forward)
  strata_mpi_test(truncated_messages.${engine} truncated_messages 6 LAYOUT cyclic ENGINE ${engine})
endforeach()
strata_mpi_test(collective_semantics.auto collective_semantics 6 LAYOUT one_two_five ENGINE auto)
strata_mpi_test(collective_semantics.tree collective_semantics 7 LAYOUT unequal ENGINE tree)
# Open MPI passes operators that do not commute to the plugin only where every group has consecutive ranks.
strata_mpi_test(collective_semantics.ascending collective_semantics 8 LAYOUT ascending ENGINE tree)
strata_mpi_test(collective_semantics.exchange collective_semantics 11 --collectives allreduce,barrier
                LAYOUT block ENGINE tree
                MCA coll_strata_allreduce_level_algorithms=cluster=recursive_doubling
                    coll_strata_barrier_level_algorithms=cluster=recursive_doubling)
foreach(layout block cyclic shuffled unequal one_two_five ascending deep nics)
  set(options --collectives allreduce LAYOUT ${layout} ENGINE tree
              MCA coll_strata_allreduce_level_algorithms=cluster=rabenseifner,switch=rabenseifner)
  strata_mpi_test(collective_semantics.halving.${layout} collective_semantics ${ranks_${layout}} ${options})
  strata_mpi_test(random_collectives.halving.${layout} random_collectives ${ranks_${layout}}
                  --seconds 3 --seed 66 ${options})
endforeach()
# Twelve parts of the topmost level: four pairs.
strata_mpi_test(random_collectives.halving.flat random_collectives 12 --seconds 3 --seed 67
                --collectives allreduce LAYOUT block ENGINE tree
                MCA coll_strata_hierarchy=none
                    coll_strata_allreduce_level_algorithms=cluster=rabenseifner,node=rabenseifner)
# One level only: all ranks take part in the topmost one.
set(below switch=skip,node=skip,package=skip,numa=skip,l3=skip)
set(rabenseifner_words cluster=rabenseifner,switch3=rabenseifner,${below})
set(ring_words cluster=ring,switch3=ring,${below})
set(chain_words cluster=pipeline,switch3=pipeline,${below})
set(tree_words cluster=double_binary,switch3=double_binary,${below})
foreach(layout block shuffled unequal one_two_five deep nics)
  set(rabenseifner --collectives allreduce LAYOUT ${layout} ENGINE tree
             MCA coll_strata_allreduce_level_algorithms=${rabenseifner_words})
  set(ring --collectives allreduce,allgather,allgatherv LAYOUT ${layout} ENGINE ring
           COLLECTIVES allreduce allgather allgatherv
           MCA coll_strata_allreduce_level_algorithms=${ring_words}
               coll_strata_allgather_level_algorithms=${ring_words}
               coll_strata_allgatherv_level_algorithms=${ring_words})
  set(chain --collectives bcast,reduce LAYOUT ${layout} ENGINE tree
            MCA coll_strata_bcast_level_algorithms=${chain_words} coll_strata_bcast_segsize=1000
                coll_strata_reduce_level_algorithms=${chain_words} coll_strata_reduce_segsize=1000)
  set(two_trees --collectives bcast,reduce,allreduce LAYOUT ${layout} ENGINE tree
                MCA coll_strata_bcast_level_algorithms=${tree_words} coll_strata_bcast_segsize=1000
                    coll_strata_reduce_level_algorithms=${tree_words} coll_strata_reduce_segsize=1000
                    coll_strata_allreduce_level_algorithms=${tree_words})
  foreach(way rabenseifner ring chain two_trees)
    strata_mpi_test(random_collectives.all_ranks.${way}.${layout} random_collectives ${ranks_${layout}}
                    --seconds 3 --seed 71 ${${way}})
  endforeach()
endforeach()
foreach(way rabenseifner ring chain two_trees)
  strata_mpi_test(collective_semantics.all_ranks.${way} collective_semantics ${ranks_nics} ${${way}})
endforeach()
# Double trees on some levels.
set(words cluster=double_binary,switch=split_binary,package=double_binary)
set(options --collectives bcast,reduce,allreduce LAYOUT deep ENGINE tree
            MCA coll_strata_bcast_level_algorithms=${words} coll_strata_reduce_level_algorithms=${words}
                coll_strata_allreduce_level_algorithms=${words})
strata_mpi_test(collective_semantics.two_trees.deep collective_semantics ${ranks_deep} ${options})
strata_mpi_test(random_collectives.two_trees.deep random_collectives ${ranks_deep} --seconds 3 --seed 72 ${options})
strata_mpi_test(against_basic.two_trees random_collectives 11 --iterations 300 --seed 73 ${options} AGAINST_BASIC)
# Recursive doubling of blocks on the topmost level, whole and in segments.
foreach(layout block cyclic shuffled unequal one_two_five ascending deep nics)
  set(words cluster=recursive_doubling,switch=recursive_doubling)
  set(options --collectives allgather,allgatherv LAYOUT ${layout} ENGINE tree
              MCA coll_strata_allgather_level_algorithms=${words}
                  coll_strata_allgatherv_level_algorithms=${words})
  strata_mpi_test(collective_semantics.doubling.${layout} collective_semantics ${ranks_${layout}} ${options})
  strata_mpi_test(random_collectives.doubling.${layout} random_collectives ${ranks_${layout}}
                  --seconds 3 --seed 68 ${options} coll_strata_allgatherv_segsize=1000)
endforeach()
# Twelve parts of the topmost level: four pairs.
strata_mpi_test(random_collectives.doubling.flat random_collectives 12 --seconds 3 --seed 69
                --collectives allgather,allgatherv LAYOUT block ENGINE tree
                MCA coll_strata_hierarchy=none
                    coll_strata_allgather_level_algorithms=cluster=recursive_doubling,node=recursive_doubling
                    coll_strata_allgatherv_level_algorithms=cluster=recursive_doubling,node=recursive_doubling)
# An Allreduce on a ring of at least three nodes.
foreach(layout block cyclic shuffled unequal one_two_five ascending)
  set(options --collectives allreduce LAYOUT ${layout} ENGINE ring COLLECTIVES allreduce)
  strata_mpi_test(collective_semantics.allreduce_ring.${layout} collective_semantics ${ranks_${layout}}
                  ${options})
  strata_mpi_test(random_collectives.allreduce_ring.${layout} random_collectives ${ranks_${layout}}
                  --iterations ${calls_${layout}} --seed 60 ${options})
endforeach()
set(options --collectives allreduce ENGINE ring COLLECTIVES allreduce)
strata_mpi_test(random_collectives.allreduce_ring.segments random_collectives 11 --iterations 800 --seed 61
                LAYOUT unequal ${options} MCA coll_strata_window=1 coll_strata_allreduce_segsize=1000)
strata_mpi_test(random_collectives.allreduce_ring.whole random_collectives 8 --iterations 1700 --seed 62
                LAYOUT cyclic ${options} MCA coll_strata_window=2 coll_strata_allreduce_segsize=0)
strata_mpi_test(random_collectives.allreduce_ring.flat random_collectives 7 --iterations 2000 --seed 63
                LAYOUT block ${options} MCA coll_strata_hierarchy=none)
strata_mpi_test(against_basic.allreduce_ring random_collectives 8 --iterations 500 --seed 64
                LAYOUT one_two_five ${options} AGAINST_BASIC)
# coll/libnbc chooses by MPI_IN_PLACE: leaders and ranks alone on their node must pass it alike.
strata_mpi_test(random_collectives.allreduce_in_place random_collectives 7 --collectives allreduce
                --iterations 60 --seed 65 LAYOUT unequal
                MCA coll_strata_allreduce_level_algorithms=cluster=libnbc coll_strata_allreduce_segsize=0)
strata_mpi_test(collective_semantics.deep collective_semantics 5 LAYOUT deep ENGINE tree)
strata_mpi_test(collective_semantics.levels collective_semantics 8 LAYOUT ascending ENGINE levels)
strata_mpi_test(collective_semantics.levels.deep collective_semantics 7 LAYOUT deep ENGINE levels)
strata_mpi_test(collective_semantics.forward collective_semantics 3 LAYOUT cyclic ENGINE forward)
strata_mpi_test(collective_huge.sparse collective_huge 3 LAYOUT cyclic ENGINE tree)
foreach(case allgather allreduce reduce)
  strata_mpi_test(collective_huge.${case} collective_huge 2 --case ${case} --watchdog 170
                  LAYOUT cyclic ENGINE tree)
endforeach()
foreach(engine tree levels)
  strata_mpi_test(collective_limits.${engine} collective_limits 4 LAYOUT unequal ENGINE ${engine})
endforeach()
# Slots that the plugin releases go to tuned, whose Gather does not return with so many bytes.
strata_mpi_test(collective_limits.ring collective_limits 4 --reduced 1000 LAYOUT block ENGINE ring
                COLLECTIVES allgather allgatherv MCA coll_strata_hand_back=0)
strata_mpi_test(collective_limits.auto collective_limits 4 --reduced 1000 LAYOUT cyclic)
# Four participants of 2^30 elements each: an int cannot hold the product.
strata_mpi_test(collective_huge.segmented_ring collective_huge 4 --case allreduce --mib 1024 --of-bytes
                --watchdog 170 LAYOUT cyclic ENGINE levels
                MCA coll_strata_allreduce_level_algorithms=cluster=segmented_ring
                    coll_strata_allreduce_segsize=0)
# Two bytes short of 2^31: rounding up to a multiple of the participants does not fit into an int.
strata_mpi_test(soak.huge.allgather_rounding collective_huge 3 --case allgather --mib 2048 --of-bytes
                --watchdog 290 LAYOUT cyclic ENGINE levels SOAK
                MCA coll_strata_allgather_level_algorithms=cluster=scatter_allgather
                    coll_strata_allgather_segsize=0)
foreach(case gather scatter)
  strata_mpi_test(soak.huge.${case} collective_huge 2 --case ${case} --watchdog 170
                  LAYOUT cyclic ENGINE tree SOAK)
endforeach()

foreach(data_layout contiguous strided)
  strata_mpi_test(bcast_huge.${data_layout} bcast_huge 2 --layout ${data_layout} --mib 2200 --watchdog 170
                  LAYOUT cyclic ENGINE tree)
endforeach()
strata_mpi_test(spawn_merge spawn_merge 2 BTL self,vader,tcp)
