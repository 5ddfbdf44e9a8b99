# Programs beside the product: one per file, no list to keep.

# add_benches(USES <layers>...) builds bench/*.cpp into <build>/bench/<file>; all of them are the target
# `benches`, which only `make bench` needs.
function(add_benches)
  add_custom_target(benches)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/*.cpp)
  foreach(source ${sources})
    get_filename_component(program ${source} NAME_WE)
    add_program_at(bench ${program} ${source} ${ARG_USES})
    set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL ON)
    add_dependencies(benches ${program})
  endforeach()
endfunction()

# add_fuzzers(USES <layers>...) builds, where a preset asks for it, fuzz/fuzz_*.cpp and one program for
# each trace format into <build>/fuzz/; all of them are the target `fuzzers`. PENSTOCK_FUZZ is LIBRARY
# (libFuzzer explores) or REPLAY (fuzz/replay.cpp tries what is known).
function(add_fuzzers)
  if(NOT PENSTOCK_FUZZ)
    return()
  endif()
  if(PENSTOCK_FUZZ STREQUAL REPLAY)
    add_library(fuzz_replay OBJECT EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/fuzz/replay.cpp)
    target_link_libraries(fuzz_replay PRIVATE house base)
  endif()
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  add_custom_target(fuzzers)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/fuzz/fuzz_*.cpp)
  foreach(source ${sources})
    get_filename_component(program ${source} NAME_WE)
    add_fuzzer(${program} ${source} ${ARG_USES})
  endforeach()
  foreach(format swf philly helios pai openb gavel pollux elasticflow chronus batsim wfformat andreas csv sacct)
    add_fuzzer(fuzz_${format} ${CMAKE_SOURCE_DIR}/fuzz/trace_format.cpp ${ARG_USES})
    target_compile_definitions(fuzz_${format} PRIVATE PENSTOCK_FORMAT="${format}")
  endforeach()
endfunction()

# add_page_examples(<test> <page>) compiles the whole C++ examples of a page into a test program.
function(add_page_examples test page)
  set(examples ${CMAKE_BINARY_DIR}/page_examples/${test}.cpp)
  add_custom_command(OUTPUT ${examples}
    COMMAND ${CMAKE_SOURCE_DIR}/tools/page_examples.py ${CMAKE_SOURCE_DIR}/${page} ${examples}
    DEPENDS ${CMAKE_SOURCE_DIR}/tools/page_examples.py ${CMAKE_SOURCE_DIR}/${page} VERBATIM)
  target_sources(${test} PRIVATE ${examples})
endfunction()

# add_fake_bridge(USES <layers>...) builds a bridge without a Slurm, which bench/live.py starts.
function(add_fake_bridge)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  add_executable(fake_bridge ${CMAKE_SOURCE_DIR}/tests/live/fake_bridge.cpp)
  target_include_directories(fake_bridge PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(fake_bridge PRIVATE house ${ARG_USES} nlohmann_json::nlohmann_json)
endfunction()

macro(add_fuzzer program source)
  add_program_at(fuzz ${program} ${source} ${ARGN})
  set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL ON)
  if(PENSTOCK_FUZZ STREQUAL REPLAY)
    target_sources(${program} PRIVATE $<TARGET_OBJECTS:fuzz_replay>)
  else()
    target_link_options(${program} PRIVATE -fsanitize=fuzzer)
  endif()
  add_dependencies(fuzzers ${program})
endmacro()

macro(add_program_at folder program source)
  add_executable(${program} ${source})
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${folder})
  target_compile_definitions(${program} PRIVATE PENSTOCK_ROOT="${CMAKE_SOURCE_DIR}")
  target_link_libraries(${program} PRIVATE house ${ARGN})
endmacro()
