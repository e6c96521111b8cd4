# cmake -DMUST_PRINT=REGEX -P must_fail.cmake -- COMMAND...
# Succeeds when COMMAND fails and its output matches REGEX. For a command that cannot run here (exit status 77) it
# prints a line that matches the test's SKIP_REGULAR_EXPRESSION, because a script cannot set an exit status.
include(${CMAKE_CURRENT_LIST_DIR}/command_line.cmake)
execute_process(COMMAND ${command} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(result EQUAL 77)
  message("must_fail: skipped\n${output}")
  return()
endif()
message("${output}")
if(result EQUAL 0)
  message(FATAL_ERROR "The command was expected to fail and succeeded.")
endif()
if(NOT output MATCHES "${MUST_PRINT}")
  message(FATAL_ERROR "The command failed (${result}), but its output does not match: ${MUST_PRINT}")
endif()
