# Tests of plugin-only facts: the engine that served a call, the bytes moved, the counters.
foreach(engine tree levels forward)
  strata_mpi_test(selected.${engine} selected 16 --expect ${engine} LAYOUT block ENGINE ${engine})
  strata_mpi_test(empty_messages.${engine} bcast_huge 4 --only-empty --mixed-empty --watchdog 20
                  LAYOUT block ENGINE ${engine})
endforeach()
foreach(engine tree levels forward)
  strata_mpi_test(selected.all.${engine} selected 8 --op ${collectives_option} --expect ${engine}
                  --bytes 20000 LAYOUT one_two_five ENGINE ${engine})
endforeach()
strata_mpi_test(selected.all.ring selected 8 --op allgather,allgatherv --expect ring --bytes 20000
                LAYOUT one_two_five ENGINE ring COLLECTIVES allgather allgatherv)
foreach(expected forward,99 tree,100 ring,700 ring,2999 levels,3000 levels,4999 tree,5000)
  string(REPLACE "," ";" expected ${expected})
  list(GET expected 0 engine)
  list(GET expected 1 bytes)
  strata_mpi_test(selected.rules.${engine}.${bytes} selected 8 --op allreduce --expect ${engine}
                  --bytes ${bytes} LAYOUT rules)
endforeach()
strata_mpi_test(can_fail.rules selected 8 --op allreduce --expect tree --bytes 99 LAYOUT rules
                MUST_PRINT "coll_strata_allreduce_tree grew by")
# Four nodes: the blocks of three nodes cross each of four edges.
foreach(layout block shuffled)
  strata_mpi_test(crossings.ring.${layout} selected 16 --op allgather --expect ring --crossings cluster=48
                  --bytes 20000 LAYOUT ${layout} ENGINE ring COLLECTIVES allgather)
endforeach()
# The same holds when nodes exchange by recursive doubling: each node receives what it lacks once.
foreach(layout block shuffled)
  strata_mpi_test(crossings.doubling.${layout} selected 16 --op allgather --expect tree --crossings cluster=48
                  --bytes 20000 LAYOUT ${layout} ENGINE tree COLLECTIVES allgather
                  MCA coll_strata_allgather_level_algorithms=cluster=recursive_doubling)
endforeach()
strata_mpi_test(can_fail.not_in_rings selected 4 --op allgather --expect ring LAYOUT block ENGINE tree
                MUST_PRINT "coll_strata_allgather_tree grew by")
string(REPLACE ";" "," by_rails "${collectives_by_rails}")
strata_mpi_test(selected.all.rails selected 8 --op ${by_rails} --expect rails --bytes 400000
                LAYOUT two_nics ENGINE rails)
# The same bytes cross the links between nodes as with one tree.
strata_mpi_test(crossings.rails selected 8 --expect rails --crossings cluster=1 LAYOUT two_nics ENGINE rails)
# Without several NICs there is one tree.
strata_mpi_test(selected.one_rail selected 8 --expect tree LAYOUT one_two_five ENGINE rails)
strata_mpi_test(can_fail.one_rail selected 8 --expect rails LAYOUT one_two_five ENGINE rails
                MUST_PRINT "coll_strata_bcast_tree grew by")
include(boards.cmake)
# Calls that stock Open MPI gets wrong; the plugin serves all here.
strata_mpi_test(random_collectives.any_types random_collectives 8 --iterations 2200 --seed 32 --any-types
                --collectives ${collectives_option} LAYOUT one_two_five ENGINE tree)
# Buffers in GPU memory, if there is a GPU and Open MPI supports them: the plugin passes blocks through and serves
# the rest.
set(gpu_calls random_collectives 4 --iterations 100 LAYOUT cyclic TIMEOUT 300)
strata_mpi_test(gpu_buffers.tree ${gpu_calls} --memory gpu --seed 80 ENGINE tree)
strata_mpi_test(gpu_buffers.levels ${gpu_calls} --memory gpu --seed 81 ENGINE levels)
strata_mpi_test(gpu_buffers.mixed ${gpu_calls} --memory mixed --seed 82 --vary-settings)
strata_mpi_test(can_fail.gpu_buffers ${gpu_calls} --memory gpu --seed 83 --sabotage data MUST_PRINT "element at offset")
include(counters.cmake)
# Memory, time and resources of many steps; the label soak has many more.
foreach(what communicators calls kept)
  strata_mpi_test(endurance.${what} endurance 4 --what ${what} --count 1500 --served 100 LAYOUT cyclic ENGINE tree)
endforeach()
strata_mpi_test(endurance.auto endurance 4 --what communicators --count 500 --served 10 LAYOUT wide
                MCA coll_strata_setup_after=0)
strata_mpi_test(endurance.trees endurance 4 --what trees --count 100 --served 100 LAYOUT cyclic ENGINE tree)
foreach(pml ob1 cm)
  strata_mpi_test(endurance.threads.${pml} endurance 4 --what threads --threads 4 --count 500 --served 100
                  LAYOUT cyclic ENGINE tree PML ${pml})
endforeach()
foreach(what communicator,communicators file,open.files request,requests segment,shared-memory.segments)
  string(REPLACE "," ";" what ${what})
  list(POP_FRONT what lost told)
  strata_mpi_test(can_fail.endurance.${lost} endurance 2 --count 20 --sabotage ${lost} LAYOUT cyclic
                  MUST_PRINT "more and more ${told}")
endforeach()
strata_mpi_test(can_fail.endurance.memory endurance 2 --count 20 --sabotage memory LAYOUT cyclic
                MUST_PRINT "memory grows")
# Loses 16 bytes per call; a single rank has no waits.
strata_mpi_test(can_fail.endurance.bytes endurance 1 --count 60000 --sabotage bytes LAYOUT cyclic
                MUST_PRINT "memory grows")
strata_mpi_test(can_fail.endurance.slow endurance 2 --count 100 --flat-time --sabotage slow LAYOUT cyclic
                MUST_PRINT "steps take longer and longer")
strata_mpi_test(can_fail.endurance.without endurance 2 --what communicators --count 20 --served 100 LAYOUT cyclic
                ENGINE tree MCA coll=^strata MUST_PRINT "the plugin served 0 of 6 calls")
strata_mpi_test(can_fail.endurance.early endurance 4 --what communicators --count 100 --served 1 LAYOUT wide
                MUST_PRINT "passed through [0-9]+, [1-9][0-9]* because it was not ready")
# Results at address zero.
foreach(engine tree levels)
  strata_mpi_test(absolute_addresses.${engine} absolute_addresses 8 --reduce LAYOUT cyclic ENGINE ${engine}
                  MCA coll_strata_setup_after=0)
endforeach()
strata_mpi_test(absolute_addresses.oversubscribed absolute_addresses 8 LAYOUT oversubscribed MCA coll_strata_setup_after=0)
strata_mpi_test(absolute_addresses.defaults absolute_addresses 8)
strata_mpi_test(can_fail.absolute_addresses absolute_addresses 4 --sabotage sum LAYOUT cyclic ENGINE tree
                MUST_PRINT "allreduce: sum")
strata_mpi_test(can_fail.absolute_addresses.block absolute_addresses 4 --sabotage block LAYOUT cyclic ENGINE tree
                MUST_PRINT "number 0 of block 0")
# Ranks that round, trap or format numbers differently.
foreach(what rounding traps locale)
  strata_mpi_test(differing_ranks.${what} differing_ranks 8 --what ${what} LAYOUT cyclic
                  MCA coll_strata_rules=infiniband-cluster coll_strata_setup_after=0)
endforeach()
strata_mpi_test(can_fail.differing_ranks differing_ranks 8 --what settings LAYOUT cyclic
                MCA coll_strata_rules=infiniband-cluster coll_strata_setup_after=0
                MUST_PRINT "calls of bcast are left because settings differ")
# Calls before a communicator's set-up.
strata_mpi_test(lazy_setup lazy_setup 8 LAYOUT cyclic)
strata_mpi_test(lazy_setup.two lazy_setup 2 LAYOUT cyclic)
foreach(calls 0 1)
  strata_mpi_test(lazy_setup.${calls} lazy_setup 4 --calls ${calls} LAYOUT block MCA coll_strata_setup_after=${calls})
endforeach()
strata_mpi_test(can_fail.lazy_setup lazy_setup 4 --sabotage early LAYOUT cyclic MUST_PRINT "calls came early instead of")
strata_mpi_test(can_fail.lazy_setup.none lazy_setup 4 LAYOUT block MCA coll_strata_setup_after=0
                MUST_PRINT "0 of 8 calls came early instead of 8")
# Without the plugin of tests/copy_me (plugin.copy_me) no call is served.
strata_mpi_test(can_fail.alltoall alltoall 3 MUST_PRINT "alltoall_tree")
# Memory for calls belongs to the process, not to communicators.
strata_mpi_test(scratch_memory scratch_memory 4 LAYOUT block MCA coll_strata_reduce_algorithm=tree coll_strata_reduce_segsize=0)
strata_mpi_test(can_fail.scratch_memory scratch_memory 4 --sabotage held LAYOUT block MCA coll_strata_reduce_algorithm=tree coll_strata_reduce_segsize=0
                MUST_PRINT "memory follows communicators")
# One rank fails to set up a communicator, at every allocation, for both kinds of ranks and all kinds of failures.
foreach(how once lasting other)
  foreach(victim 0 5)
    strata_mpi_test(setup_failures.${how}.${victim} setup_failures 8 --how ${how} --victim ${victim} LAYOUT cyclic
                    MCA coll_strata_setup_after=0)
  endforeach()
endforeach()
foreach(engine levels ring)
  strata_mpi_test(setup_failures.${engine} setup_failures 8 --collective allgather --victim 3 LAYOUT cyclic
                  ENGINE ${engine})
endforeach()
strata_mpi_test(setup_failures.flat setup_failures 4 --collective allreduce --victim 2 LAYOUT block
                MCA coll_strata_setup_after=0)
# Copies share the objects of the first communicator.
foreach(how once lasting other)
  strata_mpi_test(setup_failures.shared_${how} setup_failures 8 --shared --how ${how} --victim 5 LAYOUT cyclic
                  MCA coll_strata_setup_after=0)
endforeach()
# Each communicator makes objects that others could share.
foreach(how once lasting other)
  strata_mpi_test(setup_failures.orders_${how} setup_failures 8 --orders --collective allreduce --how ${how} --victim 5
                  LAYOUT cyclic MCA coll_strata_setup_after=0)
endforeach()
# Calls that come before the set-up need no memory.
strata_mpi_test(setup_failures.early setup_failures 8 --how lasting --victim 5 --early LAYOUT cyclic)
strata_mpi_test(can_fail.setup_failures.early setup_failures 4 --points 2 --early LAYOUT cyclic
                MCA coll_strata_setup_after=0 MUST_PRINT "an early call allocates memory")
strata_mpi_test(can_fail.setup_failures.alike setup_failures 8 --points 2 --sabotage alike LAYOUT cyclic MCA coll_strata_setup_after=0
                MUST_PRINT "some ranks passed calls through that others served")
strata_mpi_test(can_fail.setup_failures.own setup_failures 4 --points 2 --sabotage own LAYOUT cyclic MCA coll_strata_setup_after=0
                MUST_PRINT "the communicator's variable is not that of the process")
strata_mpi_test(can_fail.setup_failures.data setup_failures 8 --collective allgather --points 2 --sabotage data
                LAYOUT cyclic MUST_PRINT "a wrong block")
# Allocations fail on one rank, also while levels are delegated.
foreach(victim 0 15)
  strata_mpi_test(memory_failures.delegation.${victim} memory_failures 16 --calls 25 --late --victim ${victim}
                  LAYOUT slow_links MCA coll_strata_setup_after=0)
endforeach()
strata_mpi_test(can_fail.memory_failures.late memory_failures 4 --calls 4 --late LAYOUT block
                MUST_PRINT "no plan changes on the way")
# The program copies the communicator from which the plugin derives those of the levels.
strata_mpi_test(pending_idup pending_idup 8 --rounds 500 LAYOUT cyclic ENGINE levels)
strata_mpi_test(pending_idup.delegation pending_idup 16 --rounds 100 --calls 25 LAYOUT slow_links
                MCA coll_strata_setup_after=0)
strata_mpi_test(can_fail.pending_idup pending_idup 4 --rounds 10 --sabotage sum LAYOUT cyclic ENGINE levels
                MUST_PRINT "a wrong sum")
strata_mpi_test(can_fail.pending_idup.tree pending_idup 4 --rounds 10 LAYOUT cyclic ENGINE tree
                MUST_PRINT "the plugin made no communicators")
# Several threads need communicators for the levels of several parents at once.
strata_mpi_test(thread_setups thread_setups 4 --rounds 60 LAYOUT cyclic ENGINE levels MCA coll_strata_setup_after=0)
strata_mpi_test(thread_setups.large thread_setups 8 --rounds 10 --stack 8192 LAYOUT cyclic ENGINE levels
                MCA coll_strata_setup_after=0)
strata_mpi_test(can_fail.thread_setups thread_setups 4 --rounds 2 --sabotage sum LAYOUT cyclic ENGINE levels
                MCA coll_strata_setup_after=0 MUST_PRINT "a wrong sum")
strata_mpi_test(can_fail.thread_setups.tree thread_setups 4 --rounds 2 LAYOUT cyclic ENGINE tree
                MCA coll_strata_setup_after=0 MUST_PRINT "the plugin made no communicators")
# A thread ends inside a call.
foreach(engine tree levels forward)
  strata_mpi_test(unwinding.exit.${engine} unwinding 2 --by exit LAYOUT cyclic ENGINE ${engine} MCA coll_strata_setup_after=0)
endforeach()
strata_mpi_test(unwinding.exit.early unwinding 2 --by exit --first LAYOUT cyclic ENGINE tree)
strata_mpi_test(unwinding.exit.first unwinding 2 --by exit --first LAYOUT cyclic ENGINE tree MCA coll_strata_setup_after=0)
foreach(items 2000 200000)
  foreach(engine tree levels)
    strata_mpi_test(unwinding.cancel.${engine}.${items} unwinding 2 --by cancel --items ${items} LAYOUT cyclic ENGINE ${engine}
                    MCA coll_strata_setup_after=0 MUST_PRINT "a thread was cancelled, and unwound")
  endforeach()
endforeach()
strata_mpi_test(unwinding.cancel.first unwinding 2 --by cancel --first LAYOUT cyclic ENGINE tree
                MCA coll_strata_setup_after=0 MUST_PRINT "a thread was cancelled, and unwound")
strata_mpi_test(can_fail.unwinding unwinding 2 --by exit --sabotage unwound LAYOUT cyclic ENGINE tree
                MUST_PRINT "the thread was not unwound")
# No code of the program runs while the plugin creates communicators.
strata_mpi_test(attributes attributes 8 LAYOUT cyclic ENGINE levels)
strata_mpi_test(can_fail.attributes attributes 4 --sabotage copy LAYOUT cyclic ENGINE levels
                MUST_PRINT "at the end: copied 1 times, expected 0. deleted 2 times, expected 1")
strata_mpi_test(can_fail.attributes.tree attributes 4 LAYOUT cyclic ENGINE tree
                MUST_PRINT "the plugin made no communicators")
# Here the plugin unpacks elements for the program's operators. (Open MPI's algorithms, which the levels engine
# calls, do not reserve room for a whole element or align it.)
foreach(engine tree ring rails)
  strata_mpi_test(whole_elements.${engine} whole_elements 8 LAYOUT two_nics ENGINE ${engine} COLLECTIVES allreduce)
endforeach()
strata_mpi_test(whole_elements.reduce whole_elements 8 --items 70000 LAYOUT cyclic ENGINE tree)
strata_mpi_test(can_fail.whole_elements whole_elements 4 --sabotage sum LAYOUT cyclic ENGINE tree
                MUST_PRINT "item 0: .* expected")
# The plugin's static objects live until it is unloaded.
strata_mpi_test(late_finalize late_finalize 4 LAYOUT cyclic MCA coll_strata_setup_after=0)
strata_mpi_test(can_fail.late_finalize late_finalize 4 --sabotage sum LAYOUT cyclic MUST_PRINT "late_finalize: failed")
# Failures in a call before the set-up: the rank repeats the call and counts it once, as the others do. Open MPI's
# Allgather of some short blocks allocates after it has received all messages.
strata_mpi_test(memory_failures.after memory_failures 6 --collective allgather --of-open-mpi --once --each --calls 12
                --victim 3 LAYOUT cyclic)
strata_mpi_test(memory_failures.early memory_failures 8 --collective allreduce --of-open-mpi --each --calls 12 --victim 5
                LAYOUT cyclic)
foreach(engine tree levels)
  foreach(collective IN LISTS collectives)
    # In one of the calls the victim is the root.
    strata_mpi_test(memory_failures.${collective}.${engine} memory_failures 8 --collective ${collective} --expect ${engine}
                    --calls 4 --victim 3 LAYOUT cyclic ENGINE ${engine})
    strata_mpi_test(memory_failures.each.${collective}.${engine} memory_failures 8 --collective ${collective} --each
                    --expect ${engine} --calls 4 --victim 3 LAYOUT cyclic ENGINE ${engine} SWEEP)
  endforeach()
endforeach()
# Over two NICs at once, and on a ring.
foreach(collective IN LISTS collectives_by_rails)
  strata_mpi_test(memory_failures.${collective}.rails memory_failures 8 --collective ${collective} --items 20000 --calls 3
                  --victim 3 --expect rails LAYOUT two_nics ENGINE rails)
endforeach()
foreach(collective allgatherv allreduce)
  strata_mpi_test(memory_failures.${collective}.ring memory_failures 8 --collective ${collective} --items 5000 --calls 3
                  --victim 3 --expect ring LAYOUT cyclic ENGINE ring COLLECTIVES ${collective})
endforeach()
strata_mpi_test(can_fail.memory_failures.ring memory_failures 8 --collective allreduce --items 5000 --calls 1 --expect ring
                LAYOUT deep ENGINE ring COLLECTIVES allreduce MUST_PRINT "the calls are not served by ring")
strata_mpi_test(can_fail.memory_failures.each memory_failures 8 --each --calls 2 --victim 7 --sabotage each
                LAYOUT cyclic ENGINE tree MUST_PRINT "not every allocation has failed")
# A component that does not serve a level of several processes: all ranks give up on it, and rank 0 reports it.
foreach(collective allgather allreduce bcast)
  strata_mpi_test(memory_failures.${collective}.unusable memory_failures 8 --collective ${collective}
                  --calls 2 --points 1000 --victim 0 LAYOUT cyclic
                  MCA coll_strata_${collective}_level_algorithms=cluster=self)
endforeach()
strata_mpi_test(memory_failures.scarce.unusable memory_failures 8 --collective allreduce --calls 2
                --points 1000 --victim 0 --scarce LAYOUT cyclic
                MCA coll_strata_allreduce_level_algorithms=cluster=self)
strata_mpi_test(memory_failures.scarce.delegation memory_failures 16 --calls 25 --late --victim 15 --scarce
                LAYOUT slow_links MCA coll_strata_setup_after=0)
foreach(engine tree ring levels)
  strata_mpi_test(memory_failures.scarce.${engine} memory_failures 8 --collective allgather --items 5000
                  --calls 2 --victim 3 --scarce LAYOUT cyclic ENGINE ${engine})
endforeach()
# Blocks that need a copy to be sent, in streams of many messages.
foreach(engine tree ring)
  strata_mpi_test(memory_failures.allgather.${engine}.long memory_failures 8 --collective allgather
                  --items 5000 --calls 2 --victim 3 LAYOUT cyclic ENGINE ${engine})
endforeach()
strata_mpi_test(memory_failures.allreduce.halving memory_failures 12 --collective allreduce --calls 3 --victim 4
                LAYOUT block ENGINE tree MCA coll_strata_allreduce_level_algorithms=cluster=rabenseifner)
strata_mpi_test(memory_failures.allgather.doubling memory_failures 12 --collective allgather --calls 3 --victim 4
                LAYOUT block ENGINE tree MCA coll_strata_allgather_level_algorithms=cluster=recursive_doubling)
strata_mpi_test(memory_failures.allgather.doubling.long memory_failures 12 --collective allgather --items 5000
                --calls 2 --victim 4 LAYOUT cyclic ENGINE tree
                MCA coll_strata_allgather_level_algorithms=cluster=recursive_doubling
                    coll_strata_allgather_segsize=8k)
strata_mpi_test(can_fail.memory_failures.data memory_failures 8 --sabotage data --calls 2 --victim 3
                LAYOUT cyclic ENGINE tree MUST_PRINT "a wrong block")
foreach(collective gather scatterv)
  strata_mpi_test(can_fail.memory_failures.data.${collective} memory_failures 4 --collective ${collective} --sabotage data
                  --calls 4 --victim 0 LAYOUT cyclic ENGINE tree MUST_PRINT "a wrong block")
endforeach()
strata_mpi_test(can_fail.memory_failures.data.bcast memory_failures 4 --collective bcast --sabotage data --calls 2 --victim 0
                LAYOUT cyclic ENGINE tree MUST_PRINT "a wrong item")
strata_mpi_test(can_fail.memory_failures.data.reduce memory_failures 4 --collective reduce --items 1 --sabotage data
                --calls 4 --victim 0 LAYOUT cyclic ENGINE tree MUST_PRINT "a wrong sum")
# The agreement itself, with proposals that are rare in jobs.
foreach(program checked_plans late_wakeup agreements)
  add_executable(${program} ${program}.cc)
  target_link_libraries(${program} PRIVATE strata_component strata_mpi_check strata_warnings)
endforeach()
strata_mpi_test(late_wakeup late_wakeup 1)
strata_mpi_test(can_fail.late_wakeup late_wakeup 1 --sabotage any MUST_PRINT "[Ss]ignal:? ([0-9]+|Segmentation)")
foreach(ranks 2 3 7 16)
  strata_mpi_test(agreements.${ranks} agreements ${ranks})
endforeach()
strata_mpi_test(can_fail.agreements agreements 5 --sabotage minimum MUST_PRINT "a wrong minimum")
strata_mpi_test(can_fail.agreements.marks agreements 4 --sabotage marks MUST_PRINT "not all ranks see the error")
# Several at once.
foreach(program set_ups background_calls)
  add_executable(${program} ${program}.cc)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support)
  target_link_libraries(${program} PRIVATE strata_component strata_mpi_check strata_warnings)
endforeach()
foreach(ranks 2 4 7)
  strata_mpi_test(set_ups.${ranks} set_ups ${ranks})
  strata_mpi_test(background_calls.${ranks} background_calls ${ranks})
endforeach()
strata_mpi_test(can_fail.set_ups set_ups 4 --sabotage order MUST_PRINT "an agreement failed")
strata_mpi_test(can_fail.background_calls background_calls 4 --rounds 1 --sabotage sum MUST_PRINT "a wrong result")
# What the comparing of plans sends.
strata_mpi_test(checked_plans.off checked_plans 8 LAYOUT cyclic MCA coll_strata_setup_after=0)
strata_mpi_test(checked_plans.cyclic checked_plans 8 --messages 16 LAYOUT cyclic
                MCA coll_strata_setup_after=0 coll_strata_check_plans=1)
strata_mpi_test(checked_plans.levels checked_plans 8 --messages 16 LAYOUT cyclic ENGINE levels
                MCA coll_strata_setup_after=0 coll_strata_check_plans=1)
strata_mpi_test(checked_plans.block checked_plans 16 --messages 32 LAYOUT block
                MCA coll_strata_setup_after=0 coll_strata_check_plans=1)
strata_mpi_test(can_fail.checked_plans checked_plans 8 LAYOUT cyclic
                MCA coll_strata_setup_after=0 coll_strata_check_plans=1
                MUST_PRINT "bcast: 16 messages compare plans, expected 0")
# Another message takes the place of a proposal, sent below MPI's functions.
add_executable(agreement_error agreement_error.cc)
target_link_libraries(agreement_error PRIVATE strata_mpi_check strata_openmpi_headers strata_warnings)
strata_mpi_test(agreement_error agreement_error 2 LAYOUT cyclic MCA coll_strata_setup_after=0)
# Calls that parameters pass through fail as all others do.
foreach(layout block cyclic)
  strata_mpi_test(agreement_error.all_${layout} agreement_error 8 --all LAYOUT ${layout}
                  MCA coll_strata_setup_after=0 coll_strata_reduce_algorithm=forward)
endforeach()
strata_mpi_test(agreement_error.cancels agreement_error 2 --send 1 LAYOUT cyclic MCA coll_strata_setup_after=0)
strata_mpi_test(agreement_error.cm agreement_error 2 --send 0 LAYOUT cyclic PML cm MCA coll_strata_setup_after=0)
strata_mpi_test(can_fail.agreement_error.cancels agreement_error 2 --send 0 LAYOUT cyclic MCA coll_strata_setup_after=0
                MUST_PRINT "1 receives were cancelled, expected 0")
strata_mpi_test(can_fail.agreement_error agreement_error 2 --sabotage error LAYOUT cyclic MCA coll_strata_setup_after=0
                MUST_PRINT "no error")
# The test replaces functions below MPI's.
add_executable(send_modes send_modes.cc)
target_link_libraries(send_modes PRIVATE strata_mpi_check strata_openmpi_headers strata_warnings)
foreach(engine tree ring)
  set(options LAYOUT block ENGINE ${engine} COLLECTIVES allgather allreduce)
  strata_mpi_test(send_modes.${engine} send_modes 16 --per-node 4 ${options})
  strata_mpi_test(send_modes.${engine}.lists send_modes 16 --per-node 4 ${options}
                  MCA coll_strata_hierarchy=node,[0..7]+[8..15])
endforeach()
strata_mpi_test(send_modes.short send_modes 16 --per-node 4 --each 2500 --short 1 LAYOUT block ENGINE tree
                COLLECTIVES allgather allreduce)
strata_mpi_test(can_fail.send_modes.short send_modes 16 --per-node 4 --short 1 LAYOUT block ENGINE tree
                COLLECTIVES allgather allreduce MUST_PRINT "on another node: [1-9][0-9]* synchronous")
strata_mpi_test(can_fail.send_modes send_modes 16 --per-node 2 ${options}
                MUST_PRINT "on another node: 0 synchronous")
# Erroneous programs; some make ranks wait forever in stock Open MPI.
foreach(layout cyclic one_two_five deep)
  strata_mpi_test(truncated_messages.everywhere.${layout} truncated_messages 6 --everywhere
                  LAYOUT ${layout} ENGINE tree MCA ${no_single_copy})
endforeach()
# The levels engine, for those algorithms of Open MPI that return.
strata_mpi_test(truncated_messages.levels.scatter truncated_messages 6 --everywhere --only Scatter
                LAYOUT cyclic ENGINE levels MCA ${no_single_copy})
strata_mpi_test(truncated_messages.levels.bcast truncated_messages 6 --everywhere --only Bcast
                LAYOUT cyclic ENGINE levels
                MCA ${no_single_copy}
                    coll_strata_bcast_level_algorithms=cluster=linear,node=linear)
strata_mpi_test(truncated_messages.threads truncated_messages 4 --everywhere --threads
                LAYOUT cyclic ENGINE tree MCA ${no_single_copy})
set(rest "")
foreach(collective ${collectives})
  list(APPEND rest coll_strata_${collective}_algorithm=tree)
endforeach()
foreach(layout cyclic block)
  set(options ${rest})
  list(TRANSFORM options REPLACE "(all[a-z]+_algorithm)=tree" "\\1=ring")
  strata_mpi_test(truncated_messages.ring.${layout} truncated_messages 12 --long LAYOUT ${layout}
                  MCA ${options} ${no_single_copy})
endforeach()
set(options ${rest})
list(TRANSFORM options REPLACE "((all[a-z]+|bcast)_algorithm)=tree" "\\1=rails")
strata_mpi_test(truncated_messages.rails truncated_messages 8 --everywhere LAYOUT two_nics
                MCA ${options} ${no_single_copy})
# Four nodes: each but the root's receives every message once. Cyclic order must not change that.
foreach(layout block cyclic shuffled)
  strata_mpi_test(crossings.${layout} selected 16 --expect tree --crossings cluster=3
                  LAYOUT ${layout} ENGINE tree)
endforeach()
strata_mpi_test(can_fail.wrong_engine selected 4 --expect levels LAYOUT block ENGINE tree
                MUST_PRINT "coll_strata_bcast_tree grew by")
# One of several collectives uses another engine.
strata_mpi_test(can_fail.one_wrong_engine selected 4 --op ${collectives_option} --expect tree
                LAYOUT block ENGINE tree MCA coll_strata_gather_algorithm=forward
                MUST_PRINT "coll_strata_gather_tree grew by 0 instead of 12")
strata_mpi_test(can_fail.wrong_crossings selected 16 --expect tree --crossings cluster=2
                LAYOUT block ENGINE tree MUST_PRINT "coll_strata_bytes_cluster grew by")
# Four members send three quarters of the vector twice. At the top of `deep` there are two.
strata_mpi_test(selected.allreduce.ring selected 16 --op allreduce --expect ring --bytes 40000
                --crossings cluster=6 LAYOUT shuffled ENGINE ring COLLECTIVES allreduce)
strata_mpi_test(selected.allreduce.no_ring selected 16 --op allreduce --expect tree --bytes 40000
                LAYOUT deep ENGINE ring COLLECTIVES allreduce)
# A process dies and the others go on: 5.0 only.
set(mpirun_survives "")
if(mpirun_version MATCHES "Open MPI[)]? 5[.]")
  set(mpirun_survives --with-ft ulfm)
endif()
function(strata_survivors_test name ranks)
  strata_mpi_test(survivors.${name} survivors ${ranks} ${ARGN} MPIRUN ${mpirun_survives})
endfunction()
strata_survivors_test(tree 13 --engine tree LAYOUT cyclic ENGINE tree MCA coll_strata_setup_after=0)
strata_survivors_test(levels 13 LAYOUT cyclic ENGINE levels MCA coll_strata_setup_after=0)
set_tests_properties(mpi.survivors.levels PROPERTIES PASS_REGULAR_EXPRESSION
                     "No components on levels while mpi_ft_enable is set.*survivors: passed, 3 are left")
strata_survivors_test(ring 12 --collectives allgather,allgatherv --engine ring LAYOUT block ENGINE ring
                      COLLECTIVES allgather allgatherv MCA coll_strata_setup_after=0)
strata_survivors_test(rails 14 --collectives bcast,allreduce,allgather,allgatherv --engine rails LAYOUT two_nics
                      ENGINE rails MCA coll_strata_setup_after=0)
strata_survivors_test(auto 13 LAYOUT shuffled)
strata_survivors_test(forward 13 LAYOUT shuffled ENGINE forward)
strata_survivors_test(short 13 --bytes 1000 --engine tree LAYOUT shuffled ENGINE tree MCA coll_strata_setup_after=0)
strata_survivors_test(long 13 --bytes 4000000 --engine tree LAYOUT unequal ENGINE tree)
strata_survivors_test(inside 13 --bytes 4000000 --after 3000 --engine tree LAYOUT block ENGINE tree)
strata_survivors_test(tcp 13 --bytes 4000000 --after 3000 LAYOUT block ENGINE tree BTL self,tcp)
strata_survivors_test(threads 13 --threads --engine tree LAYOUT cyclic ENGINE tree MCA coll_strata_setup_after=0)
strata_survivors_test(without 13 LAYOUT cyclic MCA coll=^strata)
strata_mpi_test(can_fail.survivors.data survivors 5 --collectives bcast --sabotage data LAYOUT cyclic
                MPIRUN ${mpirun_survives} MUST_PRINT "WRONG: data at word")
strata_mpi_test(can_fail.survivors.class survivors 5 --collectives barrier --sabotage class LAYOUT cyclic
                MPIRUN ${mpirun_survives} MUST_PRINT "the error is of class")
strata_mpi_test(can_fail.survivors.hang survivors 5 --collectives reduce --sabotage hang --watchdog 5 LAYOUT cyclic
                MPIRUN ${mpirun_survives} MUST_PRINT "still at: reduce, call")
strata_mpi_test(can_fail.survivors.engine survivors 5 --collectives bcast --engine ring LAYOUT cyclic
                MPIRUN ${mpirun_survives} MUST_PRINT "0 of 12 calls are served by ring")
