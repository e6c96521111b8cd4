# OpenMpi::internals: headers and libraries of the installed Open MPI, as its own ompi_info reports them.
find_program(OMPI_INFO NAMES ompi_info.openmpi ompi_info REQUIRED
             DOC "ompi_info of the Open MPI for which the plugin is built")

function(strata_ompi_path what result)
  execute_process(COMMAND ${OMPI_INFO} --path ${what} --parsable OUTPUT_VARIABLE line
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "^path:[^:]*:" "" path "${line}")
  set(${result} "${path}" PARENT_SCOPE)
endfunction()

strata_ompi_path(incdir OPENMPI_INCLUDE)
strata_ompi_path(libdir OPENMPI_LIBRARY)
strata_ompi_path(pkglibdir OPENMPI_PLUGIN_DIR)
execute_process(COMMAND ${OMPI_INFO} --version OUTPUT_VARIABLE ompi_version COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "v?([0-9]+\\.[0-9]+\\.[0-9]+)" ompi_version "${ompi_version}")
set(OPENMPI_VERSION ${CMAKE_MATCH_1} CACHE INTERNAL "Open MPI's release, for packages")
message(STATUS "Open MPI ${OPENMPI_VERSION}: headers ${OPENMPI_INCLUDE}, plugins ${OPENMPI_PLUGIN_DIR}")
if(NOT OPENMPI_VERSION MATCHES "^(4\\.1|5\\.0)\\.")
  message(FATAL_ERROR "The plugin is built for Open MPI 4.1 and 5.0; found ${OPENMPI_VERSION}")
endif()
string(REGEX MATCH "^[0-9]+" OPENMPI_MAJOR ${OPENMPI_VERSION})
set(OPENMPI_MAJOR ${OPENMPI_MAJOR} CACHE INTERNAL "Release of Open MPI: 4 or 5")  # for the tests
if(NOT EXISTS ${OPENMPI_INCLUDE}/openmpi/ompi/mca/coll/coll.h)
  message(FATAL_ERROR "Open MPI's development headers are missing below ${OPENMPI_INCLUDE}/openmpi "
                      "(it must be built with --with-devel-headers; Debian: libopenmpi-dev)")
endif()

find_library(OPENMPI_MPI mpi HINTS ${OPENMPI_LIBRARY} REQUIRED)
find_library(OPENMPI_PAL open-pal HINTS ${OPENMPI_LIBRARY} REQUIRED)
add_library(OpenMpi::internals INTERFACE IMPORTED GLOBAL)
target_include_directories(OpenMpi::internals SYSTEM INTERFACE ${OPENMPI_INCLUDE} ${OPENMPI_INCLUDE}/openmpi)
# Replacements for headers that packages omit; installed headers take precedence.
target_compile_options(OpenMpi::internals INTERFACE "SHELL:-idirafter ${CMAKE_CURRENT_LIST_DIR}/openmpi/shim")
target_link_libraries(OpenMpi::internals INTERFACE ${OPENMPI_MPI} ${OPENMPI_PAL})
# The run-time library: Open MPI's own in 4.1, PMIx in 5.0.
if(OPENMPI_MAJOR EQUAL 4)
  find_library(OPENMPI_RTE open-rte HINTS ${OPENMPI_LIBRARY} REQUIRED)
  target_link_libraries(OpenMpi::internals INTERFACE ${OPENMPI_RTE})
else()
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(PMIX REQUIRED pmix)
  # pkg-config's flags would add a run path to every target that links PMIx.
  find_library(PMIX_LIBRARY pmix HINTS ${PMIX_LIBRARY_DIRS} REQUIRED)
  target_include_directories(OpenMpi::internals SYSTEM INTERFACE ${PMIX_INCLUDE_DIRS})
  target_link_libraries(OpenMpi::internals INTERFACE ${PMIX_LIBRARY})
endif()
