# Write OUTPUT, a C file with an array kn_<NAME>_<kind> for each kind of file (html, css, js, md) among FILES: the
# bytes of these files, concatenated, with a final zero. cmake "-DFILES=A;B" -DNAME=TEXT -DOUTPUT=FILE -P embed.cmake
cmake_minimum_required(VERSION 3.25)
foreach(file IN LISTS FILES)
  get_filename_component(kind ${file} LAST_EXT)
  string(SUBSTRING ${kind} 1 -1 kind)
  list(APPEND kinds ${kind})
  file(READ ${file} bytes HEX)
  string(APPEND bytes_${kind} ${bytes})
endforeach()
list(REMOVE_DUPLICATES kinds)
set(code "")
foreach(kind IN LISTS kinds)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes_${kind}}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND code "extern const unsigned char kn_${NAME}_${kind}[];\n"
                     "const unsigned char kn_${NAME}_${kind}[] = {\n${bytes}0};\n")
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT "@code@")
