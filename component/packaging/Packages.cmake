# Files that `cmake --install` installs beside the plugin, and the Debian packages that `cpack` makes.
include(GNUInstallDirs)

install(FILES ${CMAKE_CURRENT_LIST_DIR}/man/coll-strata.7 DESTINATION ${CMAKE_INSTALL_MANDIR}/man7 COMPONENT plugin)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/mca-params/site.conf
              ${PROJECT_SOURCE_DIR}/mca-params/strata-rules.schema.json
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/openmpi-coll-strata COMPONENT plugin)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/openmpi-coll-strata COMPONENT plugin)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/openmpi-coll-strata
        RENAME copyright COMPONENT plugin)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/coll-strata-tools
        RENAME copyright COMPONENT tools)
install(PROGRAMS ${CMAKE_CURRENT_LIST_DIR}/strata-info ${CMAKE_CURRENT_LIST_DIR}/strata-report DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
# Where strata-info and strata-report look for it, relative to their folder.
install(FILES ${CMAKE_CURRENT_LIST_DIR}/strata_page.py DESTINATION ${CMAKE_INSTALL_DATADIR}/coll-strata COMPONENT tools)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/man/strata-info.1 ${CMAKE_CURRENT_LIST_DIR}/man/strata-report.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
if(TARGET strata-topo)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/man/strata-topo.1 ${CMAKE_CURRENT_LIST_DIR}/man/strata-explain.1 ${CMAKE_CURRENT_LIST_DIR}/man/strata-reorder.1
                ${CMAKE_CURRENT_LIST_DIR}/man/strata-traffic.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
endif()

find_program(STRATA_DPKG dpkg)
if(NOT STRATA_DPKG)
  return()
endif()
# The package depends on a range of releases of libmpi's package, because others may lay out structures otherwise: the range
# of releases with the same layout (component/base/layout_epochs.h), or this release alone.
file(REAL_PATH ${OPENMPI_MPI} libmpi)
execute_process(COMMAND ${STRATA_DPKG} -S ${libmpi} OUTPUT_VARIABLE owner ERROR_QUIET)
if(NOT owner MATCHES "^([a-z0-9.+-]+):")
  return()
endif()
set(library ${CMAKE_MATCH_1})
string(REGEX MATCH "^[0-9]+\\.[0-9]+" series ${OPENMPI_VERSION})
set(first ${OPENMPI_VERSION})
set(last ${OPENMPI_VERSION})
file(READ ${PROJECT_SOURCE_DIR}/component/base/layout_epochs.h epochs)
string(REGEX MATCHALL "{{[0-9]+, [0-9]+, [0-9]+}, {[0-9]+, [0-9]+, [0-9]+}}" epochs "${epochs}")
foreach(epoch IN LISTS epochs)
  string(REGEX MATCHALL "[0-9]+" numbers "${epoch}")
  list(SUBLIST numbers 0 3 from)
  list(SUBLIST numbers 3 3 to)
  list(JOIN from "." from)
  list(JOIN to "." to)
  if(OPENMPI_VERSION VERSION_GREATER_EQUAL from AND OPENMPI_VERSION VERSION_LESS_EQUAL to)
    set(first ${from})
    set(last ${to})
  endif()
endforeach()
string(REGEX REPLACE "^.*\\." "" patch ${last})
math(EXPR next "${patch} + 1")
set(next "${series}.${next}~")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR coll-strata)
set(CPACK_PACKAGE_CONTACT "coll/strata <coll-strata@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "A component of Open MPI: it finds the levels of the hardware for every communicator \
and runs Bcast, Reduce, Allreduce, Allgather, Gather, Scatter and Barrier as a pipeline over them. \
Programs are neither changed nor recompiled.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL plugin tools library dev)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Two releases of Debian may have the same release of this project.
set(CPACK_DEBIAN_PACKAGE_RELEASE "1~ompi${series}")
set(CPACK_DEBIAN_PLUGIN_PACKAGE_NAME openmpi-coll-strata)
set(CPACK_DEBIAN_PLUGIN_PACKAGE_SECTION libs)
set(release "${library} (>= ${first}), ${library} (<< ${next})")
set(CPACK_DEBIAN_PLUGIN_PACKAGE_DEPENDS "${release}")
set(CPACK_DEBIAN_PLUGIN_PACKAGE_SUGGESTS coll-strata-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME coll-strata-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS python3)
# The introspection library, named after its SONAME, and its development files.
set(runtime libstrata-introspection${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${runtime})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "${release}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS coll-strata-tools)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libstrata-introspection-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "${runtime} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), libopenmpi-dev (>= ${first}), libopenmpi-dev (<< ${next})")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS coll-strata-tools)
set(CPACK_COMPONENT_PLUGIN_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "Shows the hierarchy and the plans of coll/strata \
without a job, reorders ranks by a program's traffic, draws the traffic, runs jobs with monitoring, and \
collects the facts for a problem report.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Communicators that follow the hardware, sessions that count the traffic between \
ranks, and a better order of ranks, for MPI programs: the shared library.")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Communicators that follow the hardware, sessions that count the traffic between \
ranks, and a better order of ranks, for MPI programs in C, C++ and Fortran: development files and examples.")
include(CPack)
