# Writes OUTPUT, a C file with the text of every kernel file as a byte array, so that an installed library needs no
# files of its own. Run by the build: cmake -DOUTPUT=... -DKERNELS=a.cl;b.cl [-DTABLE=name] -P EmbedKernels.cmake
# Each kernel's array is its file as it is, but for lines `#include "other.clh"`, which become the text of that file beside it,
# once a kernel; the list of them, TABLE, is searched by name (device/kernels.h).
if(NOT TABLE)
  set(TABLE cls_kernel_sources)
endif()

# Replaces the include lines in the hex digits of a text that lies in `folder`.
function(put_includes folder variable)
  set(text "${${variable}}")
  file(GLOB headers RELATIVE ${folder} ${folder}/*.clh)
  foreach(round RANGE 1 4) # as deep as includes may nest
    foreach(header IN LISTS headers)
      string(HEX "\n#include \"${header}\"\n" line)
      string(FIND "${text}" "${line}" at)
      if(at EQUAL -1)
        continue()
      endif()
      file(READ ${folder}/${header} inside HEX)
      string(SUBSTRING "${text}" 0 ${at} front)
      string(LENGTH "${line}" length)
      math(EXPR behind "${at} + ${length}")
      string(SUBSTRING "${text}" ${behind} -1 rest)
      string(REPLACE "${line}" "0a" rest "${rest}") # a second time is no time
      set(text "${front}0a${inside}0a${rest}")
    endforeach()
  endforeach()
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

set(body "#include \"device/kernels.h\"\n\nextern const cls_kernel_source ${TABLE}[];\n\n")
set(table "const cls_kernel_source ${TABLE}[] = {\n")
foreach(file IN LISTS KERNELS)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} hex HEX)
  get_filename_component(folder ${file} DIRECTORY)
  if(file MATCHES "\\.cl$" OR name STREQUAL "dialect")
    put_includes(${folder} hex)
  endif()
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
  string(APPEND body "static const unsigned char text_${name}[] = {\n${bytes}0x00};\n\n")
  string(APPEND table "    {\"${name}\", (const char *)text_${name}, sizeof text_${name} - 1},\n")
endforeach()
string(APPEND table "    {0, 0, 0}};\n")
file(WRITE ${OUTPUT} "${body}${table}")
