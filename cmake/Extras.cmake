# Programs beside the product: one per file, no list to keep.

# add_benches(USES <layers>...) builds bench/*.cpp into <build>/bench/<file>.
function(add_benches)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/*.cpp)
  foreach(source ${sources})
    add_extra(bench ${source} ${ARG_USES})
  endforeach()
endfunction()

# add_fuzzers(USES <layers>...) builds, where the preset `fuzz` asks for it, fuzz/fuzz_*.cpp and one
# program for each trace format into <build>/fuzz/; all of them are the target `fuzzers`.
function(add_fuzzers)
  if(NOT PENSTOCK_FUZZ)
    return()
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

# add_fake_bridge(USES <layers>...) builds a bridge without a Slurm, which bench/live.py starts.
function(add_fake_bridge)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  add_executable(fake_bridge ${CMAKE_SOURCE_DIR}/tests/live/fake_bridge.cpp)
  target_include_directories(fake_bridge PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(fake_bridge PRIVATE house ${ARG_USES} nlohmann_json::nlohmann_json)
endfunction()

macro(add_fuzzer program source)
  add_program_at(fuzz ${program} ${source} ${ARGN})
  target_link_options(${program} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzzers ${program})
endmacro()

macro(add_extra folder source)
  get_filename_component(program ${source} NAME_WE)
  add_program_at(${folder} ${program} ${source} ${ARGN})
endmacro()

macro(add_program_at folder program source)
  add_executable(${program} ${source})
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${folder})
  target_compile_definitions(${program} PRIVATE PENSTOCK_ROOT="${CMAKE_SOURCE_DIR}")
  target_link_libraries(${program} PRIVATE house ${ARGN})
endmacro()
