# User errors, and jobs whose processes differ.
foreach(case one several unknown good)
  strata_plugin_test(parameters.${case} parameters.py ${case} TIMEOUT 90 RANKS 4)
endforeach()
strata_plugin_test(can_fail.parameters parameters.py can_fail TIMEOUT 90 RANKS 4
                   MUST_PRINT "the message does not have: auto, tree, no_such_engine")
# Open MPI 5.0 also fetches data on demand.
if(OPENMPI_MAJOR GREATER 4)
  set(without_exchange on_demand on_demand_missing)
else()
  set(without_exchange no_exchange)
endif()
foreach(case missing_first missing_middle missing_last all_but_one_missing all_but_last_missing
        version_first version_middle all_but_one_version two_versions two_versions_in_another_order
        sources_first sources_middle all_but_one_sources
        release_everywhere release_middle
        nic_off nic_names reproducible window priority algorithm segsize hierarchy setup_after shared_memory check_plans disable
        bad_value bad_value_first switched_off excluded eager_limit network_content network_missing
        topology_missing topology_missing_first topology_other hwloc_no_file hwloc_other
        rules_content rules_missing same_rules
        ${without_exchange}
        same_everywhere same_network other_folder contradiction verbose)
  strata_plugin_test(agreement.${case} agreement.py ${case} TIMEOUT 120 RANKS 6)
endforeach()
if(other_arithmetic)
  foreach(case first middle everywhere)
    strata_plugin_test(agreement.arithmetic_${case} agreement.py arithmetic_${case} TIMEOUT 120 RANKS 6)
  endforeach()
  strata_plugin_test(can_fail.agreement.arithmetic agreement.py can_fail_arithmetic TIMEOUT 120 RANKS 6
                     MUST_PRINT "messages of kind version: 1, expected 0")
endif()
strata_plugin_test(can_fail.agreement agreement.py can_fail TIMEOUT 120 RANKS 6
                   MUST_PRINT "messages of kind missing: 0, expected 1")
# Ranks that make other plans, with plan checking.
foreach(case first middle last some engine none all)
  strata_plugin_test(checked_plans.${case} checked_plans.py ${case} TIMEOUT 90 RANKS 6)
endforeach()
strata_plugin_test(can_fail.checked_plans checked_plans.py none middle TIMEOUT 90 RANKS 6
                   MUST_PRINT "messages of kind different_plans: 0, expected 1")
strata_plugin_test(can_fail.checked_plans.unchecked checked_plans.py middle unchecked TIMEOUT 90 RANKS 6
                   MUST_PRINT "watchdog: still at: 70000 bytes")
# One process fails a step of the start.
strata_plugin_test(start_failures.once start_failures.py synthetic once 0 TIMEOUT 120 RANKS 4)
strata_plugin_test(start_failures.lasting start_failures.py synthetic lasting 2 TIMEOUT 120 RANKS 4)
strata_plugin_test(start_failures.boards start_failures.py boards once 0 TIMEOUT 120 RANKS 4)
strata_plugin_test(start_failures.boards.lasting start_failures.py boards lasting 2 TIMEOUT 120 RANKS 4 LONG)
strata_plugin_test(start_failures.other start_failures.py real other 2 TIMEOUT 120 RANKS 4)
# All of Open MPI's objects.
strata_plugin_test(start_failures.object start_failures.py synthetic object 2 --points 200 TIMEOUT 300 RANKS 4 LONG)
strata_plugin_test(start_failures.dump start_failures.py dump other 2 --points 16 TIMEOUT 180 RANKS 4 LONG)
foreach(machine synthetic real dump)
  foreach(how once lasting other)
    foreach(victim 0 2)
      strata_plugin_test(start_failures.${machine}.${how}.${victim} start_failures.py ${machine} ${how} ${victim}
                         --points 120 TIMEOUT 1200 RANKS 4 SWEEP)
    endforeach()
  endforeach()
endforeach()
strata_plugin_test(can_fail.start_failures start_failures.py can_fail other 2 --points 2 TIMEOUT 120 RANKS 4
                   MUST_PRINT "some ranks passed calls through that others served")
strata_plugin_test(can_fail.start_failures.node start_failures.py can_fail_node other 2 --points 2 TIMEOUT 120 RANKS 4
                   MUST_PRINT "the message does not name elsewhere")
strata_plugin_test(can_fail.start_failures.wait start_failures.py can_fail_wait once 2 --points 2 TIMEOUT 120 RANKS 4
                   MUST_PRINT "the job took .* s without a failure")
strata_plugin_test(can_fail.agreement.cause agreement.py can_fail_cause TIMEOUT 120 RANKS 6
                   MUST_PRINT "does not name the cause: coll_strata_window: 9")
strata_plugin_test(can_fail.agreement.sources agreement.py can_fail_sources TIMEOUT 120 RANKS 6
                   MUST_PRINT "messages of kind version: 1, expected 0")
strata_plugin_test(can_fail.agreement.start agreement.py can_fail_start TIMEOUT 120 RANKS 6
                   MUST_PRINT "start-up takes [0-9]+ ms longer with the plugin")
