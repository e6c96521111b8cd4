# Files that `cmake --install` installs for programs that use the library, including those for pkg-config and CMake. The
# installation is relocatable: paths are relative to these files.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(source ${CMAKE_CURRENT_LIST_DIR})
set(made ${CMAKE_CURRENT_BINARY_DIR}/packaging)
set(with_fortran OFF)
if(TARGET strata_introspection_fortran)
  set(with_fortran ON)
endif()

# The libraries; files that only compilers need are in the component dev.
set_target_properties(strata_introspection PROPERTIES EXPORT_NAME introspection)
set(libraries strata_introspection)
if(with_fortran)
  # Loads the library in the same folder.
  set_target_properties(strata_introspection_fortran PROPERTIES EXPORT_NAME introspection-fortran INSTALL_RPATH "$ORIGIN")
  list(APPEND libraries strata_introspection_fortran)
endif()
install(TARGETS ${libraries} EXPORT strata-introspection INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT dev)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/../include/MPIX_Hardware.h ${CMAKE_CURRENT_LIST_DIR}/../include/MPIX_Reorder.h
              ${CMAKE_CURRENT_LIST_DIR}/../include/MPI_Monitoring.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
if(with_fortran)
  # Fortran compilers do not search /usr/include for INCLUDE files.
  install(FILES ${STRATA_FORTRAN_MODULES}/mpi_monitoring.mod ${CMAKE_CURRENT_LIST_DIR}/../include/MPI_Monitoring.inc
          DESTINATION ${STRATA_FORTRAN_MODULE_DIR} COMPONENT dev)
endif()

# For pkg-config.
set(pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up /${pkgconfig} /)
  string(REGEX REPLACE "/$" "" up ${up})
  set(pc_prefix "\${pcfiledir}/${up}")
endif()
foreach(kind INCLUDEDIR LIBDIR)
  set(folder "\${prefix}")
  cmake_path(APPEND folder ${CMAKE_INSTALL_${kind}} OUTPUT_VARIABLE pc_${kind})
endforeach()
set(folder "\${prefix}")
cmake_path(APPEND folder "${STRATA_FORTRAN_MODULE_DIR}" OUTPUT_VARIABLE pc_modules)
set(descriptions strata-introspection)
if(with_fortran)
  list(APPEND descriptions strata-introspection-fortran)
endif()
foreach(name ${descriptions})
  configure_file(${source}/${name}.pc.in ${made}/${name}.pc @ONLY)
  install(FILES ${made}/${name}.pc DESTINATION ${pkgconfig} COMPONENT dev)
endforeach()

# For CMake.
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/strata-introspection)
configure_package_config_file(${source}/strata-introspection-config.cmake.in ${made}/strata-introspection-config.cmake
                              INSTALL_DESTINATION ${config} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${made}/strata-introspection-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${made}/strata-introspection-config.cmake ${made}/strata-introspection-config-version.cmake
        DESTINATION ${config} COMPONENT dev)
install(EXPORT strata-introspection NAMESPACE strata:: FILE strata-introspection-targets.cmake DESTINATION ${config}
        COMPONENT dev)

# The command, and manual pages; the page of each function refers to that of its header.
install(PROGRAMS ${CMAKE_CURRENT_LIST_DIR}/../monitoring/strata-monitor DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
install(FILES ${source}/man/strata-monitor.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
foreach(header MPIX_Hardware MPIX_Reorder MPI_Monitoring)
  install(FILES ${source}/man/${header}.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT dev)
  file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../include/${header}.h functions REGEX "^int MPI")
  foreach(line ${functions})
    string(REGEX REPLACE "^int ([A-Za-z_]+).*" "\\1" function "${line}")
    file(CONFIGURE OUTPUT ${made}/man/${function}.3 CONTENT ".so man3/${header}.3\n")
    install(FILES ${made}/man/${function}.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT dev)
  endforeach()
endforeach()

# Sources of examples, and licences.
set(doc ${CMAKE_INSTALL_DATADIR}/doc)
file(GLOB examples CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/../examples/*.[chf]*)
install(FILES ${examples} ${CMAKE_CURRENT_LIST_DIR}/../examples/Makefile
        DESTINATION ${doc}/libstrata-introspection-dev/examples COMPONENT dev)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${doc}/libstrata-introspection-dev RENAME copyright COMPONENT dev)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${doc}/libstrata-introspection${PROJECT_VERSION_MAJOR}
        RENAME copyright COMPONENT library)
