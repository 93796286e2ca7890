# Write OUTPUT, a header with the commit, compiler and flags of the build. It runs at every build, because CMake does
# not detect new commits; the header is written only if it has changed. cmake -DSOURCE=DIR -DOUTPUT=FILE
# -DCOMPILER=TEXT -DFLAGS=TEXT -P stamp.cmake
cmake_minimum_required(VERSION 3.25)
set(commit "")
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE}/.git) # else it is an archive, and a repository around it is another's
  execute_process(COMMAND ${GIT} describe --always --dirty --abbrev=12 WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
foreach(text IN ITEMS commit COMPILER FLAGS)
  string(REGEX REPLACE "([\\\"])" "\\\\\\1" ${text} "${${text}}")
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#define KN_STAMP_COMMIT   "@commit@"
#define KN_STAMP_COMPILER "@COMPILER@"
#define KN_STAMP_FLAGS    "@FLAGS@"
]])
