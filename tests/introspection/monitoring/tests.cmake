# The tests, with Open MPI.
include(${PROJECT_SOURCE_DIR}/tests/plugin/mpi.cmake)
set(STRATA_TEST_PATHS ${CMAKE_CURRENT_BINARY_DIR}/paths-$<CONFIG>.json)
set(programs errors flush_collective traffic threads unfinished)
if(TARGET monitoring_old_program)
  list(APPEND programs errors_module errors_include old_program)
endif()
set(paths "")
foreach(program ${programs})
  string(APPEND paths "  \"${program}\": \"$<TARGET_FILE:monitoring_${program}>\",\n")
endforeach()
if(TARGET mca_coll_strata)
  string(APPEND paths "  \"plugin\": \"$<TARGET_FILE:mca_coll_strata>\",\n")
endif()
file(GENERATE OUTPUT ${STRATA_TEST_PATHS} CONTENT "{
${paths}  \"mpirun\": \"${STRATA_MPIRUN}\",
  \"cluster\": \"${PROJECT_SOURCE_DIR}/bench/cluster\",
  \"strata_monitor\": \"${PROJECT_SOURCE_DIR}/introspection/monitoring/strata-monitor\"
}
")

function(strata_monitoring_test name)
  strata_script_test(monitoring.${name} monitoring.py ${ARGN} LABEL plugin)
endfunction()

if(NOT strata_monitoring_with_open_mpi)
  strata_monitoring_test(other_mpi other_mpi TIMEOUT 60 RANKS 3)
  strata_monitoring_test(can_fail.other_mpi other_mpi 2 TIMEOUT 60 RANKS 3 MUST_PRINT "not one message")
  return()
endif()

# Errors.
strata_monitoring_test(table table TIMEOUT 30)
strata_monitoring_test(can_fail.table table spoilt TIMEOUT 30 MUST_PRINT "the table lacks")
set(languages c)
if(TARGET monitoring_old_program)
  list(APPEND languages module include)
  strata_monitoring_test(old_program old_program TIMEOUT 60 RANKS 3)
else()
  strata_monitoring_test(fortran no_fortran TIMEOUT 30)
endif()
foreach(language ${languages})
  strata_monitoring_test(errors.${language} errors ${language} TIMEOUT 120 RANKS 2)
  strata_monitoring_test(can_fail.errors.${language} errors ${language} errors_wrong.table TIMEOUT 120 RANKS 2
                         MUST_PRINT "none start - returned +7003, expected INVALID_MSID")
endforeach()

# Traffic that is known to the byte.
foreach(case even_and_odd permuted ways_to_send overlapping interrupted unseen pending flushed agreement counters_reset
             reads_fail one_sided estimates all_once all_once_user_only all_kinds all_kinds_user_only nested_user_only)
  strata_monitoring_test(${case} traffic ${case} TIMEOUT 120 RANKS 4)
endforeach()
foreach(case even_and_odd pending counters_reset one_sided estimates all_once all_kinds)
  strata_monitoring_test(can_fail.${case} traffic ${case} --spoil TIMEOUT 120 RANKS 4 MUST_PRINT "bytes: got.*expected")
endforeach()
strata_monitoring_test(can_fail.flushed traffic flushed 1 TIMEOUT 120 RANKS 4 MUST_PRINT "the file of rank 0: got")
strata_monitoring_test(can_fail.nested traffic nested_user_only 3 TIMEOUT 120 RANKS 4
                       MUST_PRINT "an Allreduce counts more than once returned -1")
strata_monitoring_test(uncounted uncounted 1 TIMEOUT 120 RANKS 4)
strata_monitoring_test(uncounted_user_only uncounted 2 TIMEOUT 120 RANKS 4)
strata_monitoring_test(can_fail.uncounted uncounted 1 counted TIMEOUT 120 RANKS 4
                       MUST_PRINT "flags 2 returned 0, expected 7002")
strata_monitoring_test(threads threads TIMEOUT 180 RANKS 3)
strata_monitoring_test(can_fail.threads threads --spoil TIMEOUT 180 RANKS 3 MUST_PRINT "watching, bytes: got.*expected")

# Programs that do not call MPI_M_finalize.
foreach(end finalize exit)
  strata_monitoring_test(unfinished.${end} unfinished ${end} TIMEOUT 60 RANKS 2)
endforeach()

# The messages that collective operations consist of.
set(ranks_of_linear 5)
set(ranks_of_double_ring 5)
set(ranks_of_recursive_doubling 8)
set(ranks_of_dissemination 7)
foreach(algorithm "linear" "double ring" "recursive doubling" "dissemination")
  string(REPLACE " " "_" name ${algorithm})
  strata_monitoring_test(barrier.${name} barrier ${algorithm} ${ranks_of_${name}} TIMEOUT 120
                         RANKS ${ranks_of_${name}})
endforeach()
strata_monitoring_test(can_fail.barrier barrier linear 5 dissemination TIMEOUT 120 RANKS 5
                       MUST_PRINT "messages of a Barrier \\(linear\\): got")
if(TARGET mca_coll_strata)
  strata_monitoring_test(plugin plugin TIMEOUT 120 RANKS 8)
  strata_monitoring_test(can_fail.plugin plugin spoilt TIMEOUT 120 RANKS 8 MUST_PRINT "bytes that each process is sent")
endif()

# Where nothing is monitored.
strata_monitoring_test(not_enabled not_enabled TIMEOUT 120 RANKS 3)
strata_monitoring_test(can_fail.not_enabled not_enabled 2 TIMEOUT 120 RANKS 3 MUST_PRINT "not one message")
strata_monitoring_test(some_enabled some_enabled TIMEOUT 120 RANKS 3)
strata_monitoring_test(modes_differ modes_differ TIMEOUT 120 RANKS 3)
strata_monitoring_test(wrapper wrapper TIMEOUT 120 RANKS 4)
strata_monitoring_test(can_fail.wrapper wrapper without TIMEOUT 120 RANKS 4 MUST_PRINT "nothing is monitored")
strata_monitoring_test(lists lists TIMEOUT 120 RANKS 4)
strata_monitoring_test(can_fail.lists lists without TIMEOUT 120 RANKS 4 MUST_PRINT "not all is monitored")
strata_monitoring_test(release release TIMEOUT 60)
strata_monitoring_test(can_fail.release release x TIMEOUT 60 MUST_PRINT "list of mpirun \\(Open MPI\\) 5.*: got")
strata_monitoring_test(two_nodes two_nodes TIMEOUT 150 RANKS 2 LOCK cluster)
strata_monitoring_test(can_fail.two_nodes two_nodes without TIMEOUT 150 RANKS 2 LOCK cluster
                       MUST_PRINT "not monitored on two nodes")
