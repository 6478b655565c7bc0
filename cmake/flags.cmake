# Flags in the words of GCC and Clang, and a check of what they do to arithmetic.

# Clang for Windows, which reads MSVC's command line, passes over what it does not know without this.
set(SAMESUM_FLAG_PREFIX "")
if(CMAKE_CXX_COMPILER_FRONTEND_VARIANT STREQUAL "MSVC")
  set(SAMESUM_FLAG_PREFIX "/clang:")
endif()

function(samesum_compile_options target scope)
  list(TRANSFORM ARGN PREPEND "${SAMESUM_FLAG_PREFIX}")
  target_compile_options(${target} ${scope} ${ARGN})
endfunction()

# Behind ccache, which finds whole files, the headers would be another file in each folder.
function(samesum_precompile target)
  if(SAMESUM_PRECOMPILE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# Fails in words where these flags round a * b - c once. The check is run where this machine has the instruction set,
# and reads the instructions elsewhere.
function(samesum_check_arithmetic set)
  list(TRANSFORM ARGN PREPEND "${SAMESUM_FLAG_PREFIX}")
  set(sources "${CMAKE_BINARY_DIR}" "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/contraction.cpp")
  set(options COMPILE_DEFINITIONS ${ARGN} CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS ON)
  set(CMAKE_TRY_COMPILE_CONFIGURATION Release)
  unset(SAMESUM_ROUNDS_ONCE CACHE)
  unset(SAMESUM_CHECK_COMPILED CACHE)
  if(set STREQUAL SAMESUM_OWN_SET)
    try_run(SAMESUM_ROUNDS_ONCE SAMESUM_CHECK_COMPILED ${sources} ${options} COMPILE_OUTPUT_VARIABLE log)
  else()
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
    set(object "${CMAKE_BINARY_DIR}/contraction.a")
    try_compile(SAMESUM_CHECK_COMPILED ${sources} ${options} OUTPUT_VARIABLE log COPY_FILE "${object}")
  endif()
  if(NOT SAMESUM_CHECK_COMPILED)
    string(REGEX MATCH "samesum cannot be compiled[^\"\n]*" words "${log}")
    message(FATAL_ERROR "${words}\nThe check of floating-point arithmetic does not compile:\n${log}")
  endif()
  if(NOT DEFINED SAMESUM_ROUNDS_ONCE)
    execute_process(COMMAND "${CMAKE_OBJDUMP}" -d "${object}" OUTPUT_VARIABLE code RESULT_VARIABLE failed ERROR_QUIET)
    if(failed OR NOT code MATCHES "mul|fn?m(add|sub|la|ls)")
      message(WARNING "whether a * b - c is rounded twice could not be checked: '${CMAKE_OBJDUMP} -d ${object}' shows no code")
      return()
    endif()
    string(REGEX MATCH "[^\n]*fn?m(add|sub|la|ls)[^\n]*" SAMESUM_ROUNDS_ONCE "${code}")
  endif()
  if(SAMESUM_ROUNDS_ONCE)
    list(JOIN ARGN " " flags)
    message(FATAL_ERROR "a * b - c is rounded once and not twice for ${set} with these flags, so that results would not be "
      "exact: ${CMAKE_CXX_FLAGS} ${flags} (${SAMESUM_ROUNDS_ONCE}). Leave out flags such as -ffast-math and -ffp-contract=fast")
  endif()
endfunction()
