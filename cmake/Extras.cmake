# Programs beside the product: one per file, no list to keep.

# add_benches(USES <layers>...) builds bench/*.cpp into <build>/bench/<file>.
function(add_benches)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/*.cpp)
  foreach(source ${sources})
    add_extra(bench ${source} ${ARG_USES})
  endforeach()
endfunction()

# add_fuzzers(USES <layers>...) builds fuzz/fuzz_*.cpp into <build>/fuzz/, all of them as the
# target `fuzzers`, where the preset `fuzz` asks for it.
function(add_fuzzers)
  if(NOT PENSTOCK_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/fuzz/fuzz_*.cpp)
  add_custom_target(fuzzers)
  foreach(source ${sources})
    add_extra(fuzz ${source} ${ARG_USES})
    target_link_options(${program} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers ${program})
  endforeach()
endfunction()

macro(add_extra folder source)
  get_filename_component(program ${source} NAME_WE)
  add_executable(${program} ${source})
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${folder})
  target_compile_definitions(${program} PRIVATE PENSTOCK_ROOT="${CMAKE_SOURCE_DIR}")
  target_link_libraries(${program} PRIVATE house ${ARGN})
endmacro()
