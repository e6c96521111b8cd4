# STRATA_MPIRUN of the tests, which run side by side: for Open MPI 5.0, through tests/mpirun.sh.
if(STRATA_UNIT_ONLY)
  return()
endif()
include(${PROJECT_SOURCE_DIR}/cmake/MpiRun.cmake)
execute_process(COMMAND ${STRATA_MPIRUN} --version OUTPUT_VARIABLE mpirun_version COMMAND_ERROR_IS_FATAL ANY)
if(mpirun_version MATCHES "Open MPI[)]? 5[.]")
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/mpirun CONTENT "#!/bin/sh
exec ${CMAKE_CURRENT_SOURCE_DIR}/mpirun.sh ${STRATA_MPIRUN} \"$@\"
" FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  set(STRATA_MPIRUN ${CMAKE_CURRENT_BINARY_DIR}/mpirun)
endif()
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
add_test(NAME tests.mpirun COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/test_mpirun.py)
set_tests_properties(tests.mpirun PROPERTIES LABELS unit TIMEOUT 60)
