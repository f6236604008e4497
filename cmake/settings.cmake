# Compiler settings of every target: C++20, warnings as errors, hardening, sanitizers.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=true CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

# Interface target that every target of ours links; generated code does not.
add_library(cellblock_settings INTERFACE)
target_include_directories(cellblock_settings INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(cellblock_settings INTERFACE
  -Wall -Wextra -Werror -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers)
add_compile_options(-fstack-protector-strong -fno-plt)
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT CELLBLOCK_SANITIZE)
  add_compile_definitions(_FORTIFY_SOURCE=2)
endif()
include(CheckPIESupported)
check_pie_supported()
add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)

# PCH of the heavy generated headers belongs to the folders that include them.
if(CELLBLOCK_SANITIZE)
  add_compile_options($<$<NOT:$<BOOL:$<TARGET_PROPERTY:CELLBLOCK_PLAIN>>>:-fsanitize=${CELLBLOCK_SANITIZE}> -fno-omit-frame-pointer)
  add_link_options($<$<NOT:$<BOOL:$<TARGET_PROPERTY:CELLBLOCK_PLAIN>>>:-fsanitize=${CELLBLOCK_SANITIZE}>)
endif()
