# Documents, manual pages and scripts that `cmake --install` installs beside the plugin.
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

# Completion in bash, which loads the file of a command's name. All are links to one file.
set(completion ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/completion/strata-completion.bash DESTINATION ${completion} COMPONENT tools)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/install/completion)
foreach(command explain info monitor reorder report topo traffic)
  file(CREATE_LINK strata-completion.bash ${PROJECT_BINARY_DIR}/install/completion/strata-${command} SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/install/completion/strata-${command} DESTINATION ${completion} COMPONENT tools)
endforeach()
