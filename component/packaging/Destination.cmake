# Where `cmake --install` puts the plugin is decided when it runs, by the prefix: beside Open MPI's own components where the
# prefix has them, else below it. Nothing is written outside of the prefix.
include(GNUInstallDirs)
set(STRATA_OWN_PLUGIN_DIR ${OPENMPI_PLUGIN_DIR} CACHE INTERNAL "")  # Open MPI's own

# A folder of the user's own is the prefix, too, unless he names one: in a build folder that has another one already as well.
if(CMAKE_INSTALL_PREFIX_INITIALIZED_TO_DEFAULT)
  set(STRATA_DEFAULT_PREFIX ${CMAKE_INSTALL_PREFIX} CACHE INTERNAL "")
  set(STRATA_CHOSEN_PREFIX ${CMAKE_INSTALL_PREFIX} CACHE INTERNAL "")
endif()
set(STRATA_PLUGIN_DIR "" CACHE PATH "A folder for the plugin, the prefix if there is no other one (empty: the prefix decides)")
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

# Debian 13: PMIx's site file sets a search path of components that mpirun hands on to Open MPI, which then searches nothing
# else. PMIx reads a second file beside it, which no package has, and mpirun hands on what is there for Open MPI: of that,
# what users set themselves wins.
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
