# For tests that run mpirun from a script: finds MPI and the interpreter, and writes the paths that the scripts need,
# as JSON.
include(${PROJECT_SOURCE_DIR}/cmake/OpenMpiPrograms.cmake)
include(${PROJECT_SOURCE_DIR}/tests/mpi/processors.cmake)
find_package(Threads REQUIRED)
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

set(STRATA_TEST_PATHS ${PROJECT_BINARY_DIR}/tests/plugin/paths-$<CONFIG>.json)
set(STRATA_MUST_FAIL ${PROJECT_SOURCE_DIR}/tests/mpi/must_fail.cmake)

# strata_script_test(NAME SCRIPT arguments... [LABEL label] [TIMEOUT s] [RANKS n] [LOCK resource]
# SCRIPT gets the file of paths as its first argument. RANKS: the most ranks of its jobs (1). With MUST_PRINT it must
# fail and its output must match. LONG: only `tests/run --full` runs it. SWEEP: only `tests/run --label sweep` runs
# it.
# LONG: `tests/run` runs it with --full only. SWEEP: only `tests/run --label sweep` runs it.
function(strata_script_test name script)
  cmake_parse_arguments(arg "SERIAL;LONG;SWEEP" "LABEL;TIMEOUT;RANKS;LOCK;MUST_PRINT" "" ${ARGN})
  set(command ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${STRATA_TEST_PATHS}
      ${arg_UNPARSED_ARGUMENTS})
  if(arg_MUST_PRINT)
    list(APPEND arg_LABEL proof)
    set(command ${CMAKE_COMMAND} "-DMUST_PRINT=${arg_MUST_PRINT}" -P ${STRATA_MUST_FAIL} -- ${command})
  endif()
  if(arg_LONG)
    list(APPEND arg_LABEL long)
  endif()
  if(NOT arg_RANKS)
    set(arg_RANKS 1)
  endif()
  strata_processors(processors ${arg_RANKS})
  set(configurations "")
  if(arg_SWEEP)
    set(arg_LABEL sweep)
    set(configurations CONFIGURATIONS extra)
  endif()
  add_test(NAME ${name} ${configurations} COMMAND ${command})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABEL}" TIMEOUT ${arg_TIMEOUT}
                       PROCESSORS ${processors} SKIP_RETURN_CODE 77 RUN_SERIAL "${arg_SERIAL}")
  if(arg_MUST_PRINT)
    set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "must_fail: skipped")
  endif()
  if(arg_LOCK)
    set_tests_properties(${name} PROPERTIES RESOURCE_LOCK ${arg_LOCK} COST 100)  # run one after another, so start early
  endif()
endfunction()
