# Write OUTPUT, a C file with the bytes of each of FILES as the array kn_<NAME>_<extension>, ended by a zero.
# cmake -DFILES=A;B -DNAME=TEXT -DOUTPUT=FILE -P embed.cmake
set(code "")
foreach(file IN LISTS FILES)
  get_filename_component(kind ${file} LAST_EXT)
  string(SUBSTRING ${kind} 1 -1 kind)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND code "extern const char kn_${NAME}_${kind}[];\nconst char kn_${NAME}_${kind}[] = {\n${bytes}0};\n")
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT "@code@")
