# find_package(triglyph): the imported targets triglyph::shared and triglyph::static, for C and C++, as far as the
# libraries are installed, and triglyph::triglyph for whichever of them there is, the shared one first.
# triglyph_INCLUDE_DIR and triglyph_VERSION are set as well.

# This file is in share/cmake/triglyph of the prefix.
get_filename_component(_triglyph_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

# Nothing outside of the prefix counts: several versions may be installed.
set(_triglyph_places
  PATHS "${_triglyph_prefix}"
  PATH_SUFFIXES lib lib64 "lib/${CMAKE_LIBRARY_ARCHITECTURE}"
  NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
find_path(triglyph_INCLUDE_DIR triglyph.h PATHS "${_triglyph_prefix}/include" NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
mark_as_advanced(triglyph_INCLUDE_DIR)
if(WIN32)
  find_file(triglyph_SHARED NAMES triglyph.dll
    PATHS "${_triglyph_prefix}/bin" "${_triglyph_prefix}/lib" NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  find_file(triglyph_IMPORT NAMES triglyph.dll.lib libtriglyph.dll.a ${_triglyph_places})
  find_file(triglyph_STATIC NAMES triglyph.lib libtriglyph.a ${_triglyph_places})
  mark_as_advanced(triglyph_IMPORT)
else()
  find_file(triglyph_SHARED
    NAMES "${CMAKE_SHARED_LIBRARY_PREFIX}triglyph${CMAKE_SHARED_LIBRARY_SUFFIX}" ${_triglyph_places})
  find_file(triglyph_STATIC NAMES libtriglyph.a ${_triglyph_places})
endif()
mark_as_advanced(triglyph_SHARED triglyph_STATIC)

if(triglyph_SHARED AND triglyph_INCLUDE_DIR AND NOT TARGET triglyph::shared)
  add_library(triglyph::shared SHARED IMPORTED)
  set_target_properties(triglyph::shared PROPERTIES
    IMPORTED_LOCATION "${triglyph_SHARED}"
    INTERFACE_INCLUDE_DIRECTORIES "${triglyph_INCLUDE_DIR}")
  if(WIN32)
    set_target_properties(triglyph::shared PROPERTIES IMPORTED_IMPLIB "${triglyph_IMPORT}")
  endif()
endif()

if(triglyph_STATIC AND triglyph_INCLUDE_DIR AND NOT TARGET triglyph::static)
  add_library(triglyph::static STATIC IMPORTED)
  # What `rustc --print native-static-libs` lists.
  if(WIN32)
    set(_triglyph_system kernel32 ntdll userenv ws2_32 dbghelp)
  elseif(APPLE)
    set(_triglyph_system pthread m)
  else()
    set(_triglyph_system pthread ${CMAKE_DL_LIBS} m)
  endif()
  set_target_properties(triglyph::static PROPERTIES
    IMPORTED_LOCATION "${triglyph_STATIC}"
    IMPORTED_LINK_INTERFACE_LANGUAGES C
    INTERFACE_INCLUDE_DIRECTORIES "${triglyph_INCLUDE_DIR}"
    INTERFACE_COMPILE_DEFINITIONS TRIGLYPH_STATIC
    INTERFACE_LINK_LIBRARIES "${_triglyph_system}")
endif()

if(NOT TARGET triglyph::triglyph)
  foreach(_triglyph_target triglyph::shared triglyph::static)
    if(TARGET ${_triglyph_target} AND NOT TARGET triglyph::triglyph)
      add_library(triglyph::triglyph INTERFACE IMPORTED)
      set_target_properties(triglyph::triglyph PROPERTIES INTERFACE_LINK_LIBRARIES ${_triglyph_target})
    endif()
  endforeach()
endif()
if(NOT TARGET triglyph::triglyph)
  set(triglyph_FOUND FALSE)
  set(triglyph_NOT_FOUND_MESSAGE "neither library nor headers of triglyph are in ${_triglyph_prefix}")
endif()
foreach(_triglyph_component IN LISTS triglyph_FIND_COMPONENTS)
  if(triglyph_FIND_REQUIRED_${_triglyph_component} AND NOT TARGET triglyph::${_triglyph_component})
    set(triglyph_FOUND FALSE)
    set(triglyph_NOT_FOUND_MESSAGE "the ${_triglyph_component} library of triglyph is not in ${_triglyph_prefix}")
  endif()
endforeach()
