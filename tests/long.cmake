# Tests with the label long, which only `tests/run --full` and `--label long` run: they repeat a test of the default
# run for another engine, layout, parameter or process, or take long. A folder whose tests are listed defers a call
# of strata_label_long() to its end.
set(long_tests "")
macro(strata_long family names)
  list(APPEND long_tests "^${family}[.](${names})$")
endmacro()
function(strata_label_long)
  get_directory_property(tests TESTS)
  foreach(pattern ${long_tests})
    set(found ${tests})
    list(FILTER found INCLUDE REGEX "${pattern}")
    foreach(test ${found})
      set_property(TEST ${test} APPEND PROPERTY LABELS long)
    endforeach()
  endforeach()
endfunction()

strata_long(bench "compare|simulate|launching|link_probe")
strata_long(bench[.]collective_latency "help|allreduce|allgatherv|barrier")
strata_long(cluster[.]agreement
            "missing_(first|last|lowest)|version|network|interfaces|storage.*|no_exchange|spread_start|on_demand.*")
strata_long(cluster[.]communicators "auto")
strata_long(cluster[.]counts "block|cyclic|unequal")
strata_long(cluster[.]failures "first|last")
strata_long(cluster[.]interrupted "cut_for_good|others_stay")
strata_long(cluster[.]pmix_requests "count[.](8|1_1.*)|old[.]own|here[.]lasting")
strata_long(introspection[.]examples ".*_mixed|.*_uneven|other_collectives")
strata_long(introspection[.]hardware
            "guided|uneven_switches|bad_variable|simple_at_once|mixed|stopping_.*|near_card|nic_local_stopping|unbound|\
failing_split|switch_names|long_names|no_name|absent_nic")
strata_long(introspection[.]installed "make")
strata_long(introspection[.]reordering "errors[.][28]|results[.][28]|groups|cg|left_out|bcast")
strata_long(monitoring "threads|two_nodes|lists")
strata_long(monitoring[.]errors "module|include")
strata_long(mpi "pending_idup|thread_setups")
strata_long(mpi[.]against_basic "ring")
strata_long(mpi[.]bcast_roots "cm|deep[.]auto")
strata_long(mpi[.]bcast_types "cm")
strata_long(mpi[.]collective_semantics "rules|all_ranks[.]two_trees|tree|levels|forward")
strata_long(mpi[.]comm_churn "levels|auto")
strata_long(mpi[.]communicator_counters "levels|ring|rails|model|order|several_jobs")
strata_long(mpi[.]crossings "ring.*|doubling.*|cyclic|block")
strata_long(mpi[.]differing_ranks "locale")
strata_long(mpi[.]lazy_setup "0")
strata_long(mpi[.]endurance "communicators|kept|trees|threads[.]cm")
strata_long(mpi[.]memory_failures
            ".*levels|.*rails|.*ring.*|scarce.*|delegation[.]15|.*doubling.*|.*halving.*|(allreduce|\
allgather)[.]unusable")
strata_long(mpi[.]random_bcast "nics")
strata_long(mpi[.]random_collectives
            "three_nics[.]varied|forward[.]3|cm|any_types|oversubscribed|rules|ring[.]deep|\
all_ranks[.]rabenseifner[.]unequal|all_ranks[.]chain[.]shuffled|allreduce_ring[.]unequal")
strata_long(mpi[.]selected "all[.].*|one_rail|rules[.](forward|ring|levels).*|allreduce[.]ring")
strata_long(mpi[.]setup_failures "once[.]5|lasting[.]0|other.*|levels|ring|flat|shared_.*|orders_lasting|orders_other")
strata_long(mpi[.]threads "cm[.].*")
strata_long(mpi[.]truncated_messages "everywhere.*|rails")
strata_long(mpi[.]watching_thread "levels|tree")
strata_long(plugin "copy_me|layout[.]table|locales|touched")
strata_long(plugin[.]agreement
            "missing_last|all_but_last_missing|version_first|all_but_one_version|two_versions_in_another_order|\
sources_first|all_but_one_sources|release_middle|nic_off|nic_names|reproducible|priority|algorithm|segsize|hierarchy|\
setup_after|check_plans|disable|bad_value_first|excluded|eager_limit|network_missing|topology_missing.*|hwloc_.*|\
rules_missing|same_rules|same_network|other_folder|arithmetic_first|arithmetic_everywhere|on_demand_missing|verbose")
strata_long(plugin[.]bound "core|ppr|cpus|pes|none")
strata_long(plugin[.]checked_plans "first|last|engine|some")
strata_long(plugin[.]communicators "levels")
strata_long(plugin[.]control_variables "defaults|not_understood")
strata_long(plugin[.]dump "slurm_.*|placed_nic|no_nic|one_process|no_network|spawned")
strata_long(plugin[.]dump_counters "many")
strata_long(plugin[.]explain "early|waiting")
strata_long(plugin[.]files "huge|dump_by_link|own_link")
strata_long(plugin[.]handed_back "disabled|hierarchy|inside|one_keeps|dumped")
strata_long(plugin[.]info_keys
            "segsize|disable|reproducible|hierarchy|long_form|outranks|auto_again|verbose|bad_engine|unknown_key|\
dup_of_dup|one_alone|one_wrong_first|one_disabled|plain|none")
strata_long(plugin[.]install "packages|folder|spack")
strata_long(plugin[.]leaders "auto_.*_ip|no_such_nic|unbound|all_cores|two_nics|none")
strata_long(plugin[.]network_names "none|some|not_asked")
strata_long(plugin[.]others "adapt|sm|libnbc|sync|monitoring|basic")
strata_long(plugin[.]parameters "one")
strata_long(plugin[.]pmix_requests "peers.*|node.*|here[.]lasting")
strata_long(plugin[.]presets "fat-numa-node|unbound|infiniband-cluster|wan-grid")
strata_long(plugin[.]skipped "rule|word|rule_word|no_word")
strata_long(plugin[.]start_failures "once|other")
strata_long(suites "verdicts")
