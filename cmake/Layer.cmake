# add_layer(<name> [USES <lower layers>...] [NEEDS <libraries>...] [INNER <headers>...] [TESTS_USE <layers>...]
#           [COMPUTES] [QUICK_BUILD] [QUICK_FOLDERS <folders>...] [UNIT <files>])
#
# Builds src/<name>/**.cpp into one static library, tests/<name>/**_test.cpp into
# one test program, and gives both the house's warnings. NEEDS are libraries that
# this layer alone may see; INNER headers show them, so no other layer includes those.
# TESTS_USE are layers that only the test program may see, also ones that lie above.
# Optimising is most of what compiling costs, so each preset says how much of it which layers get: those that COMPUTE
# and so decide how long tests with sanitizers take (PENSTOCK_COMPUTE_OPTIONS), and those that wait for files, sockets
# and people, or call others that compute (QUICK_BUILD for a layer, QUICK_FOLDERS for some of its folders:
# PENSTOCK_QUICK_OPTIONS). UNIT says how many files are compiled together where that is not the preset's number: few, if
# the layer is edited often.
find_package(GTest REQUIRED)
include(GoogleTest)

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Tests run once for each time that they are compiled: what is optimised is what they test.
set(PENSTOCK_TEST_OPTIONS -O1 CACHE STRING "how tests are compiled, on top of all else")
set(PENSTOCK_COMPUTE_OPTIONS "" CACHE STRING "how layers that compute are compiled, on top of all else")
set(PENSTOCK_QUICK_OPTIONS "" CACHE STRING "how layers that wait are compiled, on top of all else")

add_library(house INTERFACE)
target_compile_options(house INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Werror
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # g++ 12 sees overlaps that are not there (its bug 105651)
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>  # libstdc++ 12's own stable_sort
  -ffp-contract=off)  # no fused multiply-add: the same sums on every x86-64

# How many files are compiled together; 0 compiles each by itself.
set(PENSTOCK_UNIT 0 CACHE STRING "how many files of a layer are compiled together")

# join_sources(<variable> <name> <base> <files>...) sets the variable to files of the build tree, each of which includes
# up to PENSTOCK_UNIT of the given ones. They name them from <base>, not from the root of this machine as CMake's own
# unity builds do, so that a build in another clone finds what it compiles in the compiler's cache.
function(join_sources variable name base)
  set(files ${ARGN})
  if(NOT PENSTOCK_UNIT OR NOT files)
    set(${variable} ${files} PARENT_SCOPE)
    return()
  endif()
  list(LENGTH files count)
  math(EXPR last "${count} - 1")
  set(joined)
  foreach(first RANGE 0 ${last} ${PENSTOCK_UNIT})
    list(SUBLIST files ${first} ${PENSTOCK_UNIT} part)
    set(text "")
    foreach(file ${part})
      file(RELATIVE_PATH shown ${base} ${file})
      string(APPEND text "#include \"${shown}\"\n")
    endforeach()
    math(EXPR number "${first} / ${PENSTOCK_UNIT}")
    set(unit ${CMAKE_BINARY_DIR}/units/${name}_${number}.cpp)
    file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)
    list(APPEND joined ${unit})
  endforeach()
  set(${variable} ${joined} PARENT_SCOPE)
endfunction()

# split_by_path(<with> <without> <files>...) tells tests that know where the repository is, by themselves or by a header
# of tests/, from all others: only they are compiled again in another clone.
function(split_by_path with without)
  set(known "PENSTOCK_(ROOT|TEST_DIR)")
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*.h)
  foreach(header ${headers})
    file(STRINGS ${header} mentions REGEX "PENSTOCK_(ROOT|TEST_DIR)" LIMIT_COUNT 1)
    if(mentions)
      get_filename_component(header ${header} NAME_WE)
      string(APPEND known "|/${header}[.]h\"")
    endif()
  endforeach()
  set(knowing)
  set(others)
  foreach(file ${ARGN})
    file(STRINGS ${file} mentions REGEX "${known}" LIMIT_COUNT 1)
    if(mentions)
      list(APPEND knowing ${file})
    else()
      list(APPEND others ${file})
    endif()
  endforeach()
  set(${with} ${knowing} PARENT_SCOPE)
  set(${without} ${others} PARENT_SCOPE)
endfunction()

function(build_quickly target)
  target_compile_options(${target} PRIVATE ${PENSTOCK_QUICK_OPTIONS})
endfunction()

# join_layer(<variable> <name> <quick folders> <files>...) joins the sources of a layer, those of its quick folders by
# themselves.
function(join_layer variable name folders)
  set(others ${ARGN})
  set(quick)
  foreach(folder ${folders})
    set(below ${others})
    list(FILTER below INCLUDE REGEX "^${CMAKE_SOURCE_DIR}/src/${name}/${folder}/")
    list(FILTER others EXCLUDE REGEX "^${CMAKE_SOURCE_DIR}/src/${name}/${folder}/")
    list(APPEND quick ${below})
  endforeach()
  join_sources(quick ${name}_quick ${CMAKE_SOURCE_DIR}/src ${quick})
  set_property(SOURCE ${quick} APPEND PROPERTY COMPILE_OPTIONS ${PENSTOCK_QUICK_OPTIONS})
  join_sources(others ${name} ${CMAKE_SOURCE_DIR}/src ${others})
  set(${variable} ${others} ${quick} PARENT_SCOPE)
endfunction()

function(add_layer name)
  cmake_parse_arguments(ARG "COMPUTES;QUICK_BUILD" "UNIT" "USES;NEEDS;INNER;TESTS_USE;QUICK_FOLDERS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  if(sources)
    if(PENSTOCK_UNIT AND ARG_UNIT)
      set(PENSTOCK_UNIT ${ARG_UNIT})
    endif()
    join_layer(units ${name} "${ARG_QUICK_FOLDERS}" ${sources})
    add_library(${name} STATIC ${units})
    if(ARG_COMPUTES)
      target_compile_options(${name} PRIVATE ${PENSTOCK_COMPUTE_OPTIONS})
    endif()
    if(ARG_QUICK_BUILD)
      build_quickly(${name})
    endif()
    set(scope PUBLIC)
    target_link_libraries(${name} PRIVATE house ${ARG_NEEDS})
  else()
    add_library(${name} INTERFACE)  # headers only
    set(scope INTERFACE)
  endif()
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.h)
  list(TRANSFORM ARG_INNER PREPEND ${CMAKE_SOURCE_DIR}/src/${name}/)
  if(ARG_INNER)
    list(REMOVE_ITEM headers ${ARG_INNER})
  endif()
  target_sources(${name} ${scope} FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR}/src FILES ${headers})
  target_link_libraries(${name} ${scope} ${ARG_USES})

  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${name}/*_test.cpp)
  if(tests)
    set(PENSTOCK_UNIT $CACHE{PENSTOCK_UNIT})
    split_by_path(with_path without_path ${tests})
    join_sources(with_path ${name}_test_here ${CMAKE_SOURCE_DIR}/tests ${with_path})
    join_sources(without_path ${name}_test ${CMAKE_SOURCE_DIR}/tests ${without_path})
    add_executable(${name}_test ${with_path} ${without_path})
    target_include_directories(${name}_test PRIVATE ${CMAKE_SOURCE_DIR}/tests)
    set_source_files_properties(${with_path} PROPERTIES COMPILE_DEFINITIONS
      "PENSTOCK_TEST_DIR=\"${CMAKE_SOURCE_DIR}/tests\";PENSTOCK_ROOT=\"${CMAKE_SOURCE_DIR}\"")
    target_link_libraries(${name}_test PRIVATE ${name} ${ARG_TESTS_USE} house GTest::gtest_main ${ARG_NEEDS})
    target_compile_options(${name}_test PRIVATE ${PENSTOCK_TEST_OPTIONS})
    add_test(NAME ${name} COMMAND ${name}_test)
    set_tests_properties(${name} PROPERTIES LABELS unit)
    set_property(GLOBAL APPEND PROPERTY PENSTOCK_UNIT_TESTS ${name}_test)
  endif()
endfunction()

# add_library_example(<name> USES <layers>...) builds examples/library/<name>.cpp, as a program of somebody else's would
# be, and tests that it and what it prints are as docs/library.md shows them.
function(add_library_example name)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  add_executable(example_${name} ${CMAKE_SOURCE_DIR}/examples/library/${name}.cpp)
  target_link_libraries(example_${name} PRIVATE house ${ARG_USES})
  add_test(NAME example_${name} COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/tools/library_test.py
    $<TARGET_FILE:example_${name}> ${CMAKE_SOURCE_DIR}/examples/library/${name}.cpp)
  set_property(GLOBAL APPEND PROPERTY PENSTOCK_UNIT_TESTS example_${name})
endfunction()

# add_unit_tests() makes the target `unit_tests`: the test program of every layer.
function(add_unit_tests)
  get_property(programs GLOBAL PROPERTY PENSTOCK_UNIT_TESTS)
  add_custom_target(unit_tests DEPENDS ${programs})
endfunction()

# add_thread_tests(<layers>...) makes the target `thread_tests`: the test programs of the layers in which several
# threads work together. They get the label `threads`, by which `make check` runs them with the thread sanitizer.
function(add_thread_tests)
  set(programs ${ARGN})
  list(TRANSFORM programs APPEND _test)
  add_custom_target(thread_tests DEPENDS ${programs})
  set_tests_properties(${ARGN} PROPERTIES LABELS "unit;threads")
endfunction()

# add_program(<name> USES <layers>... [NEEDS <libraries>...] [ALONE <files>...]) builds src/app/**.cpp, quickly. ALONE
# are files that are compiled by themselves.
function(add_program name)
  cmake_parse_arguments(ARG "" "" "USES;NEEDS;ALONE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/app/*.cpp)
  list(REMOVE_ITEM sources ${ARG_ALONE})
  join_sources(units app ${CMAKE_SOURCE_DIR}/src ${sources})
  add_executable(${name} ${units} ${ARG_ALONE})
  build_quickly(${name})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE house ${ARG_USES} ${ARG_NEEDS})
endfunction()

# add_tool(<folder> <program> [USES <layers>...] [NEEDS <libraries>...]) builds src/<folder>/**.cpp, quickly.
function(add_tool folder program)
  cmake_parse_arguments(ARG "" "" "USES;NEEDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.cpp)
  join_sources(units ${folder} ${CMAKE_SOURCE_DIR}/src ${sources})
  add_executable(${program} ${units})
  build_quickly(${program})
  target_include_directories(${program} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${program} PRIVATE house ${ARG_USES} ${ARG_NEEDS})
endfunction()

# add_slurm_tool(...) is add_tool with libslurm, where that is installed; elsewhere its target tells why not.
function(add_slurm_tool folder program)
  find_path(SLURM_INCLUDE slurm/slurm.h)
  find_library(SLURM_LIBRARY slurm)
  if(SLURM_INCLUDE AND SLURM_LIBRARY)
    add_tool(${folder} ${program} ${ARGN})
    target_include_directories(${program} SYSTEM PRIVATE ${SLURM_INCLUDE})
    target_link_libraries(${program} PRIVATE ${SLURM_LIBRARY})
  else()
    set(why "${program} is not built: slurm/slurm.h is absent (Debian: libslurm-dev)")
    message(STATUS ${why})
    add_custom_target(${program} COMMAND ${CMAKE_COMMAND} -E echo ${why})
  endif()
endfunction()

# add_fake_nvml(<test>) builds NVIDIA's library without GPUs, as it is and as it was, and tells the test where.
function(add_fake_nvml test)
  foreach(fake fake_nvml fake_nvml_old)
    add_library(${fake} MODULE ${CMAKE_SOURCE_DIR}/tests/agent/fake_nvml.cpp)
    set_target_properties(${fake} PROPERTIES OUTPUT_NAME nvidia-ml SUFFIX .so.1
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${fake})
    target_link_libraries(${fake} PRIVATE house)
    # It stands for a library of C, which knows nothing of clang's types of functions.
    target_compile_options(${fake} PRIVATE $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
    add_dependencies(${test} ${fake})
  endforeach()
  target_compile_definitions(fake_nvml_old PRIVATE PENSTOCK_FAKE_OLD)
  target_compile_definitions(${test} PRIVATE
    PENSTOCK_FAKE_NVML="$<TARGET_FILE:fake_nvml>" PENSTOCK_FAKE_NVML_OLD="$<TARGET_FILE:fake_nvml_old>")
endfunction()
