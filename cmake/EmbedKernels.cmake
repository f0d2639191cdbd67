# Writes OUTPUT, a C file with the text of every kernel file as a byte array, so that an installed library needs no
# files of its own. Run by the build: cmake -DOUTPUT=... -DKERNELS=a.cl;b.cl [-DTABLE=name] -P EmbedKernels.cmake
# Each kernel's array is its file as it is; the list of them, TABLE, is searched by name (device/kernels.h).
if(NOT TABLE)
  set(TABLE cls_kernel_sources)
endif()
set(body "#include \"device/kernels.h\"\n\nextern const cls_kernel_source ${TABLE}[];\n\n")
set(table "const cls_kernel_source ${TABLE}[] = {\n")
foreach(file IN LISTS KERNELS)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
  string(APPEND body "static const unsigned char text_${name}[] = {\n${bytes}0x00};\n\n")
  string(APPEND table "    {\"${name}\", (const char *)text_${name}, sizeof text_${name} - 1},\n")
endforeach()
string(APPEND table "    {0, 0, 0}};\n")
file(WRITE ${OUTPUT} "${body}${table}")
