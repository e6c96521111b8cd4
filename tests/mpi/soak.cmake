# 200,000 random calls, of other seeds every time: every number of ranks up to 16 with every engine, on a layout
# that changes with both. `varied`: engines, algorithms per level, segments and more follow from the seed.
set(soak_calls 2100)
set(soak_layouts block cyclic shuffled unequal deep one_two_five ascending two_cards)
set(soak_engines auto tree levels ring lanes varied)
list(LENGTH soak_layouts layouts)
set(turn 0)
foreach(ranks RANGE 1 16)
  foreach(engine ${soak_engines})
    # 48 turns until the same pair comes again.
    math(EXPR index "(${turn} + ${turn} / ${layouts}) % ${layouts}")
    math(EXPR turn "${turn} + 1")
    list(GET soak_layouts ${index} layout)
    set(wishes ENGINE ${engine})
    if(engine STREQUAL ring)
      list(APPEND wishes COLLECTIVES allgather allgatherv allreduce)
    elseif(engine STREQUAL lanes)
      list(APPEND wishes COLLECTIVES bcast allgather allgatherv allreduce)
    elseif(engine STREQUAL varied)
      set(wishes --vary-settings)
    endif()
    strata_mpi_test(soak.${ranks}.${engine}.${layout} random_collectives ${ranks} --iterations ${soak_calls}
                    LAYOUT ${layout} ${wishes} TIMEOUT 300 SOAK)
  endforeach()
endforeach()
# The same for long: `tests/run --label soak` makes 100,000 communicators and ten million calls.
foreach(ranks 1 2 4 16)
  math(EXPR communicators "100000 / ${ranks}")
  foreach(engine auto tree levels)
    strata_mpi_test(soak.endurance.communicators.${ranks}.${engine} endurance ${ranks} --what communicators
                    --flat-time --count ${communicators} --watchdog 300 LAYOUT cyclic ENGINE ${engine} TIMEOUT 3100 SOAK)
  endforeach()
  strata_mpi_test(soak.endurance.trees.${ranks} endurance ${ranks} --what trees --flat-time --count 2000
                  LAYOUT block TIMEOUT 700 SOAK)
  strata_mpi_test(soak.endurance.kept.${ranks} endurance ${ranks} --what kept --flat-time --count 4000
                  LAYOUT unequal TIMEOUT 700 SOAK)
endforeach()
# What is kept for the next communicator with its ranks in the same order stays within its limit.
foreach(ranks 8 16)
  strata_mpi_test(soak.endurance.orders.${ranks} endurance ${ranks} --what orders --flat-time --count 6000 --watchdog 300
                  LAYOUT cyclic MCA coll_strata_setup_after=0 TIMEOUT 3100 SOAK)
endforeach()
strata_mpi_test(soak.endurance.calls.2 endurance 2 --what calls --flat-time --count 10000000 --watchdog 300 LAYOUT cyclic
                TIMEOUT 3100 SOAK)
strata_mpi_test(soak.endurance.calls.16 endurance 16 --what calls --flat-time --count 1000000 --watchdog 300 LAYOUT cyclic
                TIMEOUT 3100 SOAK)
strata_mpi_test(soak.endurance.threads.4 endurance 4 --what threads --flat-time --count 20000 --watchdog 300 LAYOUT cyclic
                TIMEOUT 3100 SOAK)
