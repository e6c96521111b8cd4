# cmake -DFOLDER=DIR [-DFIRST="ARG..."] -P against_basic.cmake -- COMMAND...
# Runs COMMAND --digest FILE twice: first with FIRST's arguments added, then with coll/basic as the only component
# for blocking collectives. Succeeds when both runs succeed and write the same file.
include(${CMAKE_CURRENT_LIST_DIR}/command_line.cmake)
separate_arguments(FIRST)
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

function(run digest)
  execute_process(COMMAND ${command} ${ARGN} --digest ${digest} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  message("${output}")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "The run that was to write ${digest} failed (${result}).")
  endif()
endfunction()

run(${FOLDER}/tested.txt ${FIRST})
set(ENV{OMPI_MCA_coll} basic,self,libnbc,inter)
run(${FOLDER}/basic.txt)

file(STRINGS ${FOLDER}/tested.txt tested)
file(STRINGS ${FOLDER}/basic.txt basic)
list(LENGTH tested count)
list(LENGTH basic basic_count)
if(count EQUAL 0 OR NOT count EQUAL basic_count)
  message(FATAL_ERROR "${count} iterations here, ${basic_count} with coll/basic")
endif()
foreach(here there IN ZIP_LISTS tested basic)
  if(NOT here STREQUAL there)
    string(REGEX REPLACE "^([0-9]+) ([0-9a-f]+) " "\\1: " what "${here}")
    message("The results differ from coll/basic's: iteration ${what}")
    message(FATAL_ERROR "${FOLDER}: tested.txt and basic.txt differ")
  endif()
endforeach()
message("${count} iterations: the same results as with coll/basic")
