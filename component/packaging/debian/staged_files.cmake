# Run by cpack before it makes the Debian packages: adds the changelog to each package's staged files and compresses
# the manual pages, as Debian's policy requires.
find_program(GZIP gzip REQUIRED)

# Sets `result` to a Debian changelog made of docs/changelog.md: "## VERSION (DATE)", then "* ENTRY".
function(strata_debian_changelog result)
  file(STRINGS ${CPACK_STRATA_CHANGELOG} lines)
  set(end "")
  set(text "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^## ([0-9.]+) \\(([0-9-]+)\\)$")
      set(version ${CMAKE_MATCH_1})
      execute_process(COMMAND date -u -R -d ${CMAKE_MATCH_2} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
                      COMMAND_ERROR_IS_FATAL ANY)
      string(APPEND text "${end}coll-strata (${version}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n")
      set(end "\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
    elseif(end AND line)
      string(APPEND text "  ${line}\n")
    endif()
  endforeach()
  if(NOT text MATCHES "^coll-strata \\(${CPACK_PACKAGE_VERSION}-")
    message(FATAL_ERROR "${CPACK_STRATA_CHANGELOG} must begin with release ${CPACK_PACKAGE_VERSION}: "
                        "## ${CPACK_PACKAGE_VERSION} (YEAR-MONTH-DAY)")
  endif()
  set(${result} "${text}${end}" PARENT_SCOPE)
endfunction()

strata_debian_changelog(changelog)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(files ${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX}/share)
  string(TOUPPER ${component} upper)
  set(own ${files}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}/changelog.Debian)
  file(WRITE ${own} "${changelog}")
  file(GLOB_RECURSE pages ${files}/man/*)
  execute_process(COMMAND ${GZIP} -9n ${own} ${pages} COMMAND_ERROR_IS_FATAL ANY)
  # Paths of the package, which `uninstall` must not take for those of an installation.
  file(REMOVE ${CPACK_STRATA_BUILD}/install_manifest_${component}.txt)
endforeach()
