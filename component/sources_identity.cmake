# cmake -D SOURCE=FOLDER -D OUTPUT=HEADER -P sources_identity.cmake
#
# Writes the identity of all sources that determine the plugin's behaviour: the same for the same contents, in any folder.
# Builds with different planners would send messages that do not match, so they must not count as one version. The
# compiler options of algorithms/ belong to the identity, because they determine its rounding. Keeps an unchanged header.
cmake_minimum_required(VERSION 3.25)
file(GLOB_RECURSE sources RELATIVE ${SOURCE} ${SOURCE}/algorithms/*.cc ${SOURCE}/algorithms/*.h
     ${SOURCE}/algorithms/*.def ${SOURCE}/component/*.cc ${SOURCE}/component/*.h ${SOURCE}/topology/*.cc
     ${SOURCE}/topology/*.h ${SOURCE}/algorithms/CMakeLists.txt)
list(FILTER sources EXCLUDE REGEX "(^|/)[.]")  # editors lock a file by a dangling link
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
