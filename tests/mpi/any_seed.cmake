# cmake -P any_seed.cmake -- COMMAND...
# Runs COMMAND --seed N with N from the environment variable STRATA_SEED; without it, N differs in every run.
include(${CMAKE_CURRENT_LIST_DIR}/command_line.cmake)
set(seed "$ENV{STRATA_SEED}")
if(seed STREQUAL "")
  string(RANDOM LENGTH 8 ALPHABET 123456789 seed)
endif()
execute_process(COMMAND ${command} --seed ${seed} RESULT_VARIABLE result COMMAND_ECHO STDOUT)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "failed (${result}) with seed ${seed}")
endif()
