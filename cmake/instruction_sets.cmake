# SAMESUM_SETS: the instruction sets to compile the kernels for, from the lowest to the highest; their flags.
set(SAMESUM_FLAGS_baseline -O3 -falign-loops=32)
# Machines of this set are old and few: theirs is the short code, which keeps the wheel below 5 MB.
set(SAMESUM_FLAGS_x86_64_v2 -march=x86-64-v2 -Os)
set(SAMESUM_FLAGS_x86_64_v3 -march=x86-64-v3 -O3 -falign-loops=32)
set(SAMESUM_FLAGS_x86_64_v4 -march=x86-64-v4 -mprefer-vector-width=512 -O3 -falign-loops=32)

set(default native)
if(DEFINED ENV{SAMESUM_INSTRUCTION_SETS})
  set(default "$ENV{SAMESUM_INSTRUCTION_SETS}")
endif()
set(SAMESUM_INSTRUCTION_SETS "${default}" CACHE STRING
  "native (the highest that this machine has), all, or a list of baseline, x86_64_v2, x86_64_v3, x86_64_v4")

set(known)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(known x86_64_v2 x86_64_v3 x86_64_v4)
endif()

# That of the machine that compiles, if the code is for it.
set(SAMESUM_OWN_SET)
if(NOT CMAKE_CROSSCOMPILING)
  unset(SAMESUM_OWN_RAN CACHE)
  try_run(SAMESUM_OWN_RAN SAMESUM_OWN_COMPILED "${CMAKE_BINARY_DIR}" "${CMAKE_CURRENT_LIST_DIR}/own_set.cpp"
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${CMAKE_CURRENT_LIST_DIR}/../core"
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON COMPILE_OUTPUT_VARIABLE log RUN_OUTPUT_VARIABLE SAMESUM_OWN_SET)
  if(NOT SAMESUM_OWN_RAN EQUAL 0)
    message(FATAL_ERROR "which instruction set this machine has could not be found out:\n${log}")
  endif()
  string(STRIP "${SAMESUM_OWN_SET}" SAMESUM_OWN_SET)
endif()

string(REPLACE "-" "_" asked "${SAMESUM_INSTRUCTION_SETS}")
if(asked STREQUAL "native")
  set(asked ${SAMESUM_OWN_SET})
  if(CMAKE_CROSSCOMPILING)
    set(asked baseline)
  endif()
elseif(asked STREQUAL "all")
  set(asked ${known})
  if(NOT known)
    set(asked baseline)
  endif()
endif()
set(SAMESUM_SETS)
foreach(set IN ITEMS baseline ${known})
  if(set IN_LIST asked)
    list(APPEND SAMESUM_SETS ${set})
    list(REMOVE_ITEM asked ${set})
  endif()
endforeach()
if(asked OR NOT SAMESUM_SETS)
  list(JOIN known ", " allowed)
  message(FATAL_ERROR "SAMESUM_INSTRUCTION_SETS is '${SAMESUM_INSTRUCTION_SETS}'; allowed for ${CMAKE_SYSTEM_PROCESSOR} are "
    "native, all, or a list, divided by semicolons, of ${allowed}, baseline")
endif()
message(STATUS "Instruction sets: ${SAMESUM_SETS}")
