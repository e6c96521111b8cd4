# Documents, manual pages and scripts that `cmake --install` installs beside the plugin.
include(GNUInstallDirs)
set(doc ${CMAKE_INSTALL_DATADIR}/doc)
set(man ${CMAKE_INSTALL_MANDIR})
set(pages ${CMAKE_CURRENT_LIST_DIR}/man)

install(FILES ${pages}/coll-strata.7 DESTINATION ${man}/man7 COMPONENT plugin)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/installed/README.md ${PROJECT_SOURCE_DIR}/mca-params/site.conf
              ${PROJECT_SOURCE_DIR}/mca-params/strata-rules.schema.json
        DESTINATION ${doc}/openmpi-coll-strata COMPONENT plugin)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${doc}/openmpi-coll-strata COMPONENT plugin)
# Pages of other folders to which those of docs/ link.
foreach(folder bench/strata_bench/cluster bench/simgrid/machines introspection/mapping)
  install(FILES ${PROJECT_SOURCE_DIR}/${folder}/README.md
          DESTINATION ${doc}/openmpi-coll-strata/${folder} COMPONENT plugin)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${doc}/openmpi-coll-strata RENAME copyright COMPONENT plugin)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${doc}/coll-strata-tools RENAME copyright COMPONENT tools)

set(commands info report)
install(PROGRAMS ${CMAKE_CURRENT_LIST_DIR}/strata-info ${CMAKE_CURRENT_LIST_DIR}/strata-report
        DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
# Where strata-info and strata-report look for it, relative to their folder.
install(FILES ${CMAKE_CURRENT_LIST_DIR}/strata_page.py DESTINATION ${CMAKE_INSTALL_DATADIR}/coll-strata COMPONENT tools)
if(TARGET strata-topo)
  list(APPEND commands topo explain reorder traffic)
endif()
foreach(command IN LISTS commands)
  install(FILES ${pages}/strata-${command}.1 DESTINATION ${man}/man1 COMPONENT tools)
endforeach()

# Completion in bash, which loads the file of a command's name. All are links to one file.
set(completion ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/completion/strata-completion.bash DESTINATION ${completion} COMPONENT tools)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/install/completion)
foreach(command IN LISTS commands ITEMS monitor)
  file(CREATE_LINK strata-completion.bash ${PROJECT_BINARY_DIR}/install/completion/strata-${command} SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/install/completion/strata-${command} DESTINATION ${completion} COMPONENT tools)
endforeach()
