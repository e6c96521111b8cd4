# Reads descriptions of machines; needs no SimGrid, so that the fuzzer can use it.
include_guard(GLOBAL)
find_package(nlohmann_json 3.11 REQUIRED)
add_library(strata_machine_file STATIC ${CMAKE_CURRENT_LIST_DIR}/machine.cc ${CMAKE_CURRENT_LIST_DIR}/machine_file.cc)
target_include_directories(strata_machine_file PUBLIC ${CMAKE_CURRENT_LIST_DIR})
target_link_libraries(strata_machine_file PUBLIC strata_synthetic_job strata_algorithms PRIVATE nlohmann_json::nlohmann_json
                                                                                            strata_warnings)
