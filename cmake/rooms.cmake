# Rooms: folders whose sources see a few other folders, and no more. `#include "algorithms/base/plan.h"` names a file by
# its path in the project; it is found only by the rooms that name algorithms/base below SEES, and in that room itself.
# Each room has a folder of its own on the compiler's search path, which has nothing but a link to the room's sources.

# The target of a room.
function(strata_room_target folder out)
  string(MAKE_C_IDENTIFIER "strata_${folder}" target)
  set(${out} ${target} PARENT_SCOPE)
endfunction()

# strata_room(FOLDER [SEES FOLDER...] [WITHOUT mpi hwloc...]): a static library of all sources in FOLDER. What it sees is
# linked to whoever links it, but not seen by them. WITHOUT: headers that end a compilation with the reason.
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
