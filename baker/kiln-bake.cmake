# Part of the package for CMake. KILN_BAKE is the program, which must run on the machine that builds:
# - If the program is compiled for this machine, KILN_BAKE is the kiln-bake of the package, or one in PATH.
# - In a cross build, it is one in PATH, because that of the package is for the other machine.
# - -DKILN_BAKE=FILE selects another one.
if(NOT CMAKE_CROSSCOMPILING)
  find_program(KILN_BAKE kiln-bake PATHS "${kiln_programs}" NO_DEFAULT_PATH DOC "The program that bakes files")
endif()
find_program(KILN_BAKE kiln-bake NO_PACKAGE_ROOT_PATH NO_CMAKE_PATH NO_CMAKE_ENVIRONMENT_PATH NO_CMAKE_SYSTEM_PATH
  NO_CMAKE_FIND_ROOT_PATH DOC "The program that bakes files")

# kiln_bake(TARGET SCHEMA FILE... [INPUTS PATH... OUTPUT FILE] [HEADER FILE] [BASE FOLDER] [OPTIONS OPTION...] [DEPENDS FILE|TARGET...])
#
# Adds the target TARGET to `all`, which bakes INPUTS into OUTPUT again whenever something changes that kiln-bake has read: inputs,
# schemas and files that they include, files that values name, and the contents of listed folders.
# With HEADER, it also writes the C header of the schema and adds the library TARGET_header: programs that link it include the
# header and use kiln::kiln.
#   SCHEMA   relative to the current source folder, like BASE
#   INPUTS   files and folders, relative to BASE (default: the current source folder), as are the paths in rules of the schema
#   OUTPUT, HEADER   relative to the current binary folder
#   OPTIONS  further options of kiln-bake for OUTPUT, such as --compress 19
#   DEPENDS  what must exist before the first bake: generated inputs, or files of --extern
# The command needs CMake 3.20 with Ninja, and 3.21 with Makefiles.
if(CMAKE_VERSION VERSION_LESS 3.20)
  return()
endif()
cmake_policy(VERSION 3.20)
function(kiln_bake target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT;HEADER;BASE" "SCHEMA;INPUTS;OPTIONS;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "kiln_bake(${target}): unknown or incomplete arguments: ${arg_UNPARSED_ARGUMENTS} ${arg_KEYWORDS_MISSING_VALUES}")
  elseif(NOT arg_SCHEMA)
    message(FATAL_ERROR "kiln_bake(${target}): SCHEMA is missing")
  elseif(NOT arg_OUTPUT AND NOT arg_HEADER)
    message(FATAL_ERROR "kiln_bake(${target}): name an OUTPUT, a HEADER or both")
  elseif((arg_OUTPUT AND NOT arg_INPUTS) OR (arg_INPUTS AND NOT arg_OUTPUT))
    message(FATAL_ERROR "kiln_bake(${target}): INPUTS and OUTPUT belong together")
  elseif(NOT KILN_BAKE)
    message(FATAL_ERROR "kiln_bake(${target}): kiln-bake was not found; set KILN_BAKE to a program that runs on this machine")
  endif()

  get_filename_component(base "${arg_BASE}" ABSOLUTE)
  set(schemas)
  set(schema_options)
  foreach(schema IN LISTS arg_SCHEMA)
    get_filename_component(schema "${schema}" ABSOLUTE)
    list(APPEND schemas "${schema}")
    list(APPEND schema_options -s "${schema}")
  endforeach()

  # With Makefiles, CMake adds the list of inputs to that of earlier builds. So it would look for deleted inputs, and make outputs
  # each time. Without its file for earlier builds, it uses only the new list.
  set(forget_header)
  set(forget_inputs)
  if(CMAKE_GENERATOR MATCHES "Makefiles")
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}")
    set(forget_header COMMAND "${CMAKE_COMMAND}" -E rm -f "${folder}_write_header.dir/compiler_depend.internal")
    set(forget_inputs COMMAND "${CMAKE_COMMAND}" -E rm -f "${folder}_bake.dir/compiler_depend.internal")
  endif()

  # Absolute paths mean the same for each generator. The target TARGET depends on that of the header, so that parallel builds
  # with make do not write a file twice.
  add_custom_target(${target} ALL)
  if(arg_HEADER)
    get_filename_component(header "${arg_HEADER}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
    get_filename_component(folder "${header}" DIRECTORY)
    file(MAKE_DIRECTORY "${folder}")
    add_custom_command(OUTPUT "${header}"
      COMMAND "${KILN_BAKE}" header -q ${schema_options} -MD -MP -MF "${header}.d" -MQ "${header}" -o "${header}"
      ${forget_header}
      DEPENDS ${schemas} "${KILN_BAKE}" ${arg_DEPENDS}
      DEPFILE "${header}.d"
      COMMENT "Writing ${arg_HEADER}"
      VERBATIM)
    add_custom_target(${target}_write_header DEPENDS "${header}")
    add_dependencies(${target} ${target}_write_header)
    add_library(${target}_header INTERFACE)
    target_include_directories(${target}_header INTERFACE "${folder}")
    add_dependencies(${target}_header ${target}_write_header)
    if(TARGET kiln::kiln)
      target_link_libraries(${target}_header INTERFACE kiln::kiln)
    endif()
  endif()
  if(arg_OUTPUT)
    get_filename_component(output "${arg_OUTPUT}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
    get_filename_component(folder "${output}" DIRECTORY)
    file(MAKE_DIRECTORY "${folder}")
    add_custom_command(OUTPUT "${output}"
      COMMAND "${KILN_BAKE}" -q -C "${base}" ${schema_options} -MD -MP -MF "${output}.d" -MQ "${output}" ${arg_OPTIONS}
        -o "${output}" ${arg_INPUTS}
      ${forget_inputs}
      DEPENDS ${schemas} "${KILN_BAKE}" ${arg_DEPENDS}
      DEPFILE "${output}.d"
      COMMENT "Baking ${arg_OUTPUT}"
      VERBATIM)
    add_custom_target(${target}_bake DEPENDS "${output}")
    add_dependencies(${target} ${target}_bake)
  endif()
endfunction()
