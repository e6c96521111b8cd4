# cmake -D SOURCE=FOLDER -D OUTPUT=HEADER -P sources_identity.cmake
#
# Writes the identity of all sources that decide what the plugin does: the same for the same contents, wherever they
# lie. Two builds whose planners differ would send messages that do not match; they must not count as one version.
# The header is left alone where nothing has changed. What algorithms/ is compiled with decides, too: how it rounds.
cmake_minimum_required(VERSION 3.25)
file(GLOB_RECURSE sources RELATIVE ${SOURCE} ${SOURCE}/algorithms/*.cc ${SOURCE}/algorithms/*.h
     ${SOURCE}/algorithms/*.def ${SOURCE}/component/*.cc ${SOURCE}/component/*.h ${SOURCE}/topology/*.cc
     ${SOURCE}/topology/*.h ${SOURCE}/algorithms/CMakeLists.txt)
list(FILTER sources EXCLUDE REGEX "(^|/)[.]")  # not sources: editors lock a file by a link to nowhere
list(SORT sources)
set(all "")
foreach(name ${sources})
  file(SHA256 ${SOURCE}/${name} hash)
  string(APPEND all "${name} ${hash}\n")
endforeach()
string(SHA256 identity "${all}")
string(SUBSTRING ${identity} 0 8 identity)
set(text "#define STRATA_SOURCES 0x${identity}U\n")
set(known "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} known)
endif()
if(NOT known STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
