# CPack runs this on the staged files of a .deb before packing: changes that only Debian packages need.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
file(GLOB stages LIST_DIRECTORIES true "${CPACK_TEMPORARY_DIRECTORY}/*")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(stage IN LISTS stages)
  get_filename_component(component "${stage}" NAME)
  string(TOUPPER "${component}" component)
  set(package "${CPACK_DEBIAN_${component}_PACKAGE_NAME}")
  set(documents "${stage}/usr/share/doc")

  # each package has its own folder of documents, with the licence and the changes under the names of Debian
  if(NOT package STREQUAL "knudsen" AND EXISTS "${documents}/knudsen")
    file(RENAME "${documents}/knudsen" "${documents}/${package}")
  endif()
  file(MAKE_DIRECTORY "${documents}/${package}")
  file(COPY_FILE "${CMAKE_CURRENT_LIST_DIR}/copyright" "${documents}/${package}/copyright")
  file(REMOVE "${documents}/${package}/LICENSE")
  file(WRITE "${documents}/${package}/changelog"
"${package} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * See CHANGELOG.md of the package knudsen.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  execute_process(COMMAND gzip -9n "${documents}/${package}/changelog" COMMAND_ERROR_IS_FATAL ANY)

  file(GLOB archives "${stage}/usr/lib/*.a" "${stage}/usr/lib/*/*.a")
  foreach(archive IN LISTS archives)
    execute_process(COMMAND strip --strip-debug --enable-deterministic-archives "${archive}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  if(EXISTS "${stage}/usr/share/knudsen/python/knudsen")
    file(MAKE_DIRECTORY "${stage}/usr/lib/python3/dist-packages")
    file(RENAME "${stage}/usr/share/knudsen/python/knudsen" "${stage}/usr/lib/python3/dist-packages/knudsen")
    file(REMOVE_RECURSE "${stage}/usr/share/knudsen/python")
  endif()
endforeach()
