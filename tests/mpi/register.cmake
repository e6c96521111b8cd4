# Registers a test of this folder, and selects the tests that always run.
# Messages inside a node use fragments, not one copy out of the sender's memory; parameters for 4.1 and for 5.0.
set(no_single_copy btl_vader_single_copy_mechanism=none smsc=^cma,knem,xpmem)

# Programs that run over layouts by engines, or write gigabytes. Of their tests, these always run and cover each
# engine and each kind of layout; the others have the label sweep.
set(sweeping random_collectives collective_semantics bcast_roots bcast_types random_bcast against_basic comm_churn interleave
             bcast_huge collective_huge)
set(always
    random_collectives.listed random_collectives.rules random_collectives.cm random_collectives.any_types
    random_collectives.forward.3 random_collectives.unequal.auto random_collectives.one_two_five.tree
    random_collectives.cyclic.levels random_collectives.three_nics.varied random_collectives.wide.auto
    random_collectives.oversubscribed random_collectives.ring.deep random_collectives.two_nics.rails
    random_collectives.halving.one_two_five random_collectives.all_ranks.rabenseifner.unequal
    random_collectives.all_ranks.chain.shuffled random_collectives.all_ranks.two_trees.nics
    random_collectives.roomy.node random_collectives.one_two_five.node random_collectives.oversubscribed.node
    collective_semantics.node against_basic.node
    random_collectives.doubling.deep random_collectives.allreduce_ring.unequal random_collectives.allreduce_in_place
    collective_semantics.auto collective_semantics.tree collective_semantics.levels collective_semantics.forward
    collective_semantics.rules collective_semantics.ring.deep collective_semantics.two_nics.rails
    collective_semantics.all_ranks.two_trees collective_semantics.exchange
    bcast_roots.1 bcast_roots.7 bcast_roots.16 bcast_roots.without_tuned bcast_roots.cm bcast_roots.deep.auto
    bcast_roots.cyclic.levels
    bcast_types.auto bcast_types.levels bcast_types.cm random_bcast.tree random_bcast.nics
    against_basic.auto against_basic.ring
    comm_churn.auto comm_churn.settled comm_churn.levels comm_churn.delegation interleave.auto interleave.levels
    bcast_huge.contiguous collective_huge.sparse collective_huge.allreduce)
foreach(name ${always})
  set(awaited_${name} ON)
endforeach()

# strata_mpi_test(NAME PROGRAM RANKS [args...]
#                 [LAYOUT layout] [ENGINE auto|tree|levels|ring|rails|node|forward] [COLLECTIVES name...]
#                 [TIMEOUT seconds] [BTL list] [PML name] [MCA name=value...] [MPIRUN option...]
#                 [MUST_PRINT regex] [AGAINST_BASIC] [SOAK] [SWEEP])
# registers mpi.NAME: PROGRAM on RANKS ranks. LAYOUT is one of layouts.cmake. ENGINE is that of COLLECTIVES (default:
# all of the list that have it: collectives_by_ENGINE). With MUST_PRINT the exit status must be a failure and the
# output must match: for tests that prove that a check can fail. AGAINST_BASIC: the program runs twice, the second
# time on Open MPI's coll/basic, and both runs' --digest must be equal. SOAK: daily seeds; only `ctest -C extra` runs
# it (tests/run --label soak). SWEEP: only the label sweep has it.
function(strata_mpi_test name program ranks)
  cmake_parse_arguments(arg "AGAINST_BASIC;SOAK;SWEEP" "LAYOUT;ENGINE;TIMEOUT;BTL;PML;MUST_PRINT;FIRST"
                        "MCA;MPIRUN;COLLECTIVES" ${ARGN})
  if(NOT arg_BTL)
    set(arg_BTL self,vader)
  endif()
  if(NOT arg_PML)
    set(arg_PML ob1)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)  # the watchdog ends a hang; other tests may be slow on a busy machine
  endif()
  # After SIGTERM mpirun would sleep for a second before it checks whether all processes are gone.
  set(environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
      OMPI_MCA_odls_base_sigkill_timeout=0 ${component_environment})
  if(arg_PML STREQUAL cm)
    list(APPEND environment OMPI_MCA_opal_common_ofi_provider_include=tcp)  # 5.0 selects it only on request
  endif()
  if(arg_LAYOUT)
    list(APPEND environment "OMPI_MCA_mca_base_param_files=${layout_folder}/${arg_LAYOUT}.conf")
  endif()
  if(NOT arg_COLLECTIVES)
    set(arg_COLLECTIVES ${collectives})
    if(DEFINED collectives_by_${arg_ENGINE})
      set(arg_COLLECTIVES ${collectives_by_${arg_ENGINE}})
    endif()
  endif()
  if(arg_ENGINE)
    foreach(collective ${arg_COLLECTIVES})
      list(APPEND environment OMPI_MCA_coll_strata_${collective}_algorithm=${arg_ENGINE})
    endforeach()
  endif()
  if(NOT program MATCHES "^(random_|collective_|bcast_|comm_churn|interleave)")  # other tests count calls
    list(APPEND environment OMPI_MCA_coll_strata_hand_back=0)
  endif()
  foreach(parameter ${arg_MCA})
    list(APPEND environment OMPI_MCA_${parameter})
  endforeach()
  # More ranks than cores: a waiting rank must yield to the others.
  set(command ${STRATA_MPIRUN} ${arg_MPIRUN} --oversubscribe --mca pml ${arg_PML} --mca btl ${arg_BTL}
      --mca btl_tcp_if_include lo --mca mpi_yield_when_idle 1
      -n ${ranks} $<TARGET_FILE:${program}> ${arg_UNPARSED_ARGUMENTS})
  if(arg_AGAINST_BASIC)
    set(command ${CMAKE_COMMAND} -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/digests/${name} "-DFIRST=${arg_FIRST}"
        -P ${CMAKE_CURRENT_SOURCE_DIR}/against_basic.cmake -- ${command})
  endif()
  set(selection mpi)
  set(configurations "")
  string(REGEX REPLACE "[.].*" "" family ${name})
  if(DEFINED awaited_${name})
    set(awaited_${name} OFF PARENT_SCOPE)
  elseif(arg_SWEEP OR family IN_LIST sweeping)
    set(selection sweep)
    set(configurations CONFIGURATIONS extra)
  endif()
  if(arg_SOAK)
    if(program STREQUAL random_collectives)
      set(command ${CMAKE_COMMAND} -P ${CMAKE_CURRENT_SOURCE_DIR}/any_seed.cmake -- ${command})
    endif()
    set(selection soak)
    set(configurations CONFIGURATIONS extra)
  endif()
  if(arg_MUST_PRINT)
    list(APPEND selection proof)
    set(command ${CMAKE_COMMAND} "-DMUST_PRINT=${arg_MUST_PRINT}"
        -P ${CMAKE_CURRENT_SOURCE_DIR}/must_fail.cmake -- ${command})
  endif()
  add_test(NAME mpi.${name} ${configurations} COMMAND ${command})
  strata_processors(processors ${ranks})
  set_tests_properties(mpi.${name} PROPERTIES LABELS "${selection}" TIMEOUT ${arg_TIMEOUT} PROCESSORS ${processors}
                       SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
  if("--flat-time" IN_LIST arg_UNPARSED_ARGUMENTS AND NOT arg_MUST_PRINT)
    set_tests_properties(mpi.${name} PROPERTIES RUN_SERIAL ON)
  endif()
  if(program MATCHES "_huge$")
    set_tests_properties(mpi.${name} PROPERTIES LABELS "${selection};long" RESOURCE_LOCK memory COST 100)
  endif()
  if(arg_MUST_PRINT)
    set_tests_properties(mpi.${name} PROPERTIES SKIP_REGULAR_EXPRESSION "must_fail: skipped")
  endif()
endfunction()
