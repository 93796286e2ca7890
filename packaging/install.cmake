# The files of `cmake --install`, and the packages of CPack; packaging/README.md.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(KN_DATA ${CMAKE_INSTALL_DATADIR}/knudsen)
set(KN_CMAKE ${CMAKE_INSTALL_LIBDIR}/cmake/knudsen)

# ---------------------------------------------------------------- program and library

# Dependencies of the static library: the libraries of CMakeLists.txt and those of the compilers.
get_target_property(KN_LIBRARIES knudsen INTERFACE_LINK_LIBRARIES)
set(KN_RUNTIMES ${OpenMP_C_FLAGS} -lm)
if(KN_SANITIZE)
  list(PREPEND KN_RUNTIMES -fsanitize=address,undefined)
endif()
set(KN_HAS_CUDA OFF)
if(KN_WITH_CUDA)
  set(KN_HAS_CUDA ON)
  list(APPEND KN_RUNTIMES -lstdc++)
endif()
set_target_properties(knudsen PROPERTIES EXPORT_NAME static)
target_link_libraries(knudsen INTERFACE $<INSTALL_INTERFACE:${KN_RUNTIMES}>)
set(targets knudsen)

# The program and the tests use internal functions, which the shared library hides: they link the static one.
option(BUILD_SHARED_LIBS "also build libknudsen.so, which shows the functions of knudsen.h only" OFF)
if(BUILD_SHARED_LIBS)
  add_library(knudsen-shared SHARED $<TARGET_OBJECTS:knudsen> ${KN_KERNELS})
  set_target_properties(knudsen-shared PROPERTIES
    OUTPUT_NAME knudsen EXPORT_NAME shared LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_link_libraries(knudsen-shared PRIVATE ${KN_LIBRARIES} ${KN_RUNTIMES})
  target_link_options(knudsen-shared PRIVATE -Wl,--no-undefined -Wl,--exclude-libs,libcudart_static.a)
  list(APPEND targets knudsen-shared)
endif()

install(TARGETS knudsen-program COMPONENT program)
install(TARGETS ${targets} EXPORT knudsen COMPONENT library
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES include/knudsen.h TYPE INCLUDE COMPONENT library)

# ------------------------------------------------- for other projects: CMake, pkg-config

install(EXPORT knudsen NAMESPACE knudsen:: FILE knudsenTargets.cmake DESTINATION ${KN_CMAKE} COMPONENT library)
configure_package_config_file(packaging/knudsenConfig.cmake.in knudsenConfig.cmake INSTALL_DESTINATION ${KN_CMAKE})
write_basic_package_version_file(knudsenConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/knudsenConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/knudsenConfigVersion.cmake
        DESTINATION ${KN_CMAKE} COMPONENT library)

# Libs.private: the dependencies of the static library.
list(TRANSFORM KN_LIBRARIES REPLACE "^CUDA::cudart_static$" "${CUDA_cudart_static_LIBRARY};-lrt;-ldl;-lpthread")
set(KN_PRIVATE "")
foreach(link IN LISTS KN_LIBRARIES KN_RUNTIMES)
  if(link MATCHES "^(/.*)/lib([^/]*)\\.(so|a)$")
    if(NOT CMAKE_MATCH_1 IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      string(APPEND KN_PRIVATE " -L${CMAKE_MATCH_1}")
    endif()
    string(APPEND KN_PRIVATE " -l${CMAKE_MATCH_2}")
  elseif(link MATCHES "^-")
    string(APPEND KN_PRIVATE " ${link}")
  endif()
endforeach()
string(STRIP "${KN_PRIVATE}" KN_PRIVATE)
# the prefix relative to knudsen.pc, so that it can be moved
file(RELATIVE_PATH KN_UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" KN_UP "${KN_UP}")
configure_file(packaging/knudsen.pc.in knudsen.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/knudsen.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

# ----------------------------------------------- manual, completion, cases, documents, Python

find_program(HELP2MAN help2man)
find_program(GZIP gzip)
if(HELP2MAN AND GZIP)
  add_custom_command(
    OUTPUT knudsen.1.gz
    COMMAND ${PROJECT_SOURCE_DIR}/packaging/manual $<TARGET_FILE:knudsen-program> knudsen.1
    COMMAND ${GZIP} -9nf knudsen.1
    DEPENDS knudsen-program packaging/manual packaging/manual.txt
    COMMENT "Writing the manual page" VERBATIM)
  add_custom_target(manual-page ALL DEPENDS knudsen.1.gz)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/knudsen.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program OPTIONAL)
else()
  add_custom_target(manual-page) # there is none
endif()
install(FILES packaging/knudsen.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME knudsen
        COMPONENT program)
install(DIRECTORY cases DESTINATION ${KN_DATA} COMPONENT program)
install(FILES README.md CHANGELOG.md LICENSE CITATION.cff TYPE DOC COMPONENT program)
install(DIRECTORY docs TYPE DOC COMPONENT program)
install(DIRECTORY examples TYPE DOC COMPONENT library PATTERN build EXCLUDE PATTERN slurm EXCLUDE)
install(DIRECTORY examples/slurm DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT program USE_SOURCE_PERMISSIONS)
if(EXISTS ${PROJECT_SOURCE_DIR}/python/knudsen)
  install(DIRECTORY python/knudsen DESTINATION ${KN_DATA}/python COMPONENT program PATTERN __pycache__ EXCLUDE)
endif()

# --------------------------------------------------------------------------- packages

set(KN_MAINTAINER "The Knudsen developers <knudsen@knudsen.invalid>" CACHE STRING "who answers for the packages made here")
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_CONTACT "${KN_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "solver for the Boltzmann equation of rarefied gases")
set(CPACK_PACKAGE_FILE_NAME knudsen-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_COMPONENTS_ALL program library)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
"Knudsen advances the distribution function of a rarefied gas on a grid of
space and velocity. It computes the deviation from equilibrium, so that slow
and unsteady flows come out free of the noise of particle methods.
.
This package has the program, its cases with published values, and documents.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
"Knudsen advances the distribution function of a rarefied gas on a grid of
space and velocity.
.
This package has the library, its header knudsen.h and examples that couple
the gas to other programs.")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME knudsen)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "python3, python3-numpy, python3-h5py, python3-matplotlib")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "python3-xarray, python3-pandas, paraview")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libknudsen-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
    "libhdf5-dev, libyaml-dev, libudunits2-dev, libjansson-dev, libpng-dev, liblapacke-dev, libopenblas-dev, libgomp1")
if(KN_WITH_MPI) # the launcher, and a dependency of the static library; the default MPI of Debian is Open MPI
  string(PREPEND CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "openmpi-bin, ")
  string(APPEND CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS ", libopenmpi-dev")
endif()
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian.cmake)
include(CPack)
