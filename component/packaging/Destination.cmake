# `cmake --install` chooses the plugin's folder by the prefix when it runs: beside Open MPI's own components if the prefix
# contains them, else below the prefix. It writes nothing outside the prefix.
include(GNUInstallDirs)
set(STRATA_OWN_PLUGIN_DIR ${OPENMPI_PLUGIN_DIR} CACHE INTERNAL "")  # Open MPI's own

# STRATA_PLUGIN_DIR also becomes the prefix unless the user sets one, also in a build folder that already has another prefix.
if(CMAKE_INSTALL_PREFIX_INITIALIZED_TO_DEFAULT)
  set(STRATA_DEFAULT_PREFIX ${CMAKE_INSTALL_PREFIX} CACHE INTERNAL "")
  set(STRATA_CHOSEN_PREFIX ${CMAKE_INSTALL_PREFIX} CACHE INTERNAL "")
endif()
set(STRATA_PLUGIN_DIR "" CACHE PATH "Folder for the plugin, and the prefix if none is set (empty: the prefix decides)")
if(STRATA_PLUGIN_DIR STREQUAL OPENMPI_PLUGIN_DIR)
  set(STRATA_PLUGIN_DIR "" CACHE PATH "" FORCE)
endif()
if(DEFINED STRATA_CHOSEN_PREFIX AND CMAKE_INSTALL_PREFIX STREQUAL STRATA_CHOSEN_PREFIX)
  if(STRATA_PLUGIN_DIR)
    set(STRATA_CHOSEN_PREFIX ${STRATA_PLUGIN_DIR} CACHE INTERNAL "")
  else()
    set(STRATA_CHOSEN_PREFIX ${STRATA_DEFAULT_PREFIX} CACHE INTERNAL "")
  endif()
  set(CMAKE_INSTALL_PREFIX ${STRATA_CHOSEN_PREFIX} CACHE PATH "Where everything is installed" FORCE)
endif()

# Debian 13: PMIx's site file sets a component search path. mpirun passes it on to Open MPI, which then searches nothing
# else. PMIx also reads a second file beside it, which no package owns, and mpirun passes its Open MPI parameters on. Values
# that users set themselves take precedence over it.
set(STRATA_PMIX_SITE_DIR "" CACHE INTERNAL "")
foreach(folder ${PMIX_PREFIX}/share ${PMIX_PREFIX}/etc /etc/pmix /etc)
  if(OPENMPI_MAJOR EQUAL 5 AND EXISTS ${folder}/pmix-mca-params.conf)
    file(STRINGS ${folder}/pmix-mca-params.conf path REGEX "^[ \t]*(pmix_)?mca_base_component_path[ \t]*=")
    if(path)
      set(STRATA_PMIX_SITE_DIR ${folder} CACHE INTERNAL "")
    endif()
    break()
  endif()
endforeach()

foreach(script destination conclusion)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/install/${script}.cmake.in ${PROJECT_BINARY_DIR}/install/${script}.cmake @ONLY)
endforeach()
install(SCRIPT ${PROJECT_BINARY_DIR}/install/destination.cmake COMPONENT plugin)

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -D FOLDER=${PROJECT_BINARY_DIR} -P ${CMAKE_CURRENT_LIST_DIR}/install/uninstall.cmake
                  VERBATIM)
