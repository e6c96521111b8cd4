# A room is a folder whose sources may include headers of listed rooms only. `#include "algorithms/base/plan.h"` is a path
# in the project; the compiler finds it only in rooms that list algorithms/base in SEES, and in that room itself. Each room
# has its own folder on the compiler's search path, which contains only a link to the room's sources.

# Sets `out` to the target name of a room.
function(strata_room_target folder out)
  string(MAKE_C_IDENTIFIER "strata_${folder}" target)
  set(${out} ${target} PARENT_SCOPE)
endfunction()

# strata_room(FOLDER [SEES FOLDER...] [WITHOUT mpi hwloc...]): a static library of all sources in FOLDER. Targets that
# link it also link the rooms in SEES, but do not see their headers. WITHOUT: headers whose inclusion is a compile error.
function(strata_room folder)
  cmake_parse_arguments(arg "" "" "SEES;WITHOUT" ${ARGN})
  strata_room_target(${folder} target)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cc)
  add_library(${target} STATIC ${sources})
  set(root ${PROJECT_BINARY_DIR}/rooms/${target})
  cmake_path(GET folder PARENT_PATH above)
  file(MAKE_DIRECTORY ${root}/${above})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${root}/${folder} SYMBOLIC)
  target_include_directories(${target} PUBLIC ${root})
  foreach(forbidden IN LISTS arg_WITHOUT)
    target_include_directories(${target} BEFORE PRIVATE ${PROJECT_SOURCE_DIR}/cmake/no_${forbidden})
  endforeach()
  foreach(other IN LISTS arg_SEES)
    strata_room_target(${other} seen)
    target_link_libraries(${target} PRIVATE ${seen})
  endforeach()
  target_link_libraries(${target} PRIVATE strata_warnings)
endfunction()
