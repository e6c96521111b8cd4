# Debian packages that `cpack` makes of all components.
find_program(STRATA_DPKG dpkg)
if(NOT STRATA_DPKG)
  return()
endif()
# The package depends on a range of releases of libmpi's package, because others may lay out structures otherwise: the
# range of releases with the same layout (component/base/layout_epochs.h), or this release alone.
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
# The project has no public address, and who builds a package answers for it: Debian's variables name the builder. The
# default's domain is reserved for addresses that do not exist (RFC 2606).
set(maintainer "coll/strata maintainers <maintainers@coll-strata.invalid>")
if(DEFINED ENV{DEBFULLNAME} AND DEFINED ENV{DEBEMAIL})
  set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(STRATA_MAINTAINER "${maintainer}" CACHE STRING "Maintainer of the Debian packages: NAME <ADDRESS>")
set(CPACK_PACKAGE_CONTACT "${STRATA_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # else it becomes the synopsis of every package
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian/staged_files.cmake)
set(CPACK_STRATA_CHANGELOG ${PROJECT_SOURCE_DIR}/docs/changelog.md)
set(CPACK_STRATA_BUILD ${PROJECT_BINARY_DIR})
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
set(shlibs "")
foreach(target strata_introspection strata_introspection_fortran)
  if(TARGET ${target})
    get_target_property(name ${target} OUTPUT_NAME)
    string(APPEND shlibs "lib${name} ${PROJECT_VERSION_MAJOR} ${runtime} (>= ${PROJECT_VERSION})\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/install/shlibs CONTENT "${shlibs}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/install/shlibs
                                               ${CMAKE_CURRENT_LIST_DIR}/debian/triggers)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libstrata-introspection-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${runtime} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})"
    "libopenmpi-dev (>= ${first})" "libopenmpi-dev (<< ${next})")
if(STRATA_FORTRAN_MODULE_DIR MATCHES "/(gfortran-mod-[0-9]+)$")  # the format of the module files
  list(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "gfortran | ${CMAKE_MATCH_1}")
endif()
list(JOIN CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", " CPACK_DEBIAN_DEV_PACKAGE_DEPENDS)
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS coll-strata-tools)
# The first line is the synopsis.
set(CPACK_COMPONENT_PLUGIN_DESCRIPTION "topology-aware collective operations for Open MPI
A coll component for the installed Open MPI. It finds the levels of the
hardware for every communicator: switches, nodes, packages, NUMA domains and
caches. It runs Bcast, Reduce, Allreduce, Allgather, Gather, Scatter and
Barrier as a pipeline over them, and passes calls through where it predicts no
gain. Programs are neither changed nor recompiled.")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "commands around the coll/strata component of Open MPI
strata-info shows whether the component is on, strata-topo the hierarchy of a
job and the choice for every operation, strata-explain what a job did.
strata-traffic draws the traffic between ranks, strata-reorder computes a
better order of ranks, strata-monitor runs a job with Open MPI's monitoring,
and strata-report collects the facts for a problem report.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "hardware communicators and traffic counts for MPI programs
A library for MPI programs: communicators that follow the hardware, sessions
that count the traffic between ranks, and a better order of ranks.
.
This package contains the shared libraries.")
set(CPACK_COMPONENT_DEV_DESCRIPTION "hardware communicators and traffic counts - development files
A library for MPI programs: communicators that follow the hardware, sessions
that count the traffic between ranks, and a better order of ranks.
.
This package contains headers, module files, manual pages and examples for C,
C++ and Fortran.")
include(CPack)
