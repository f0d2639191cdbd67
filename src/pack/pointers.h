/*
 * pointers.h: marks in a cubin of NVRTC which parameters of its kernels are pointers, as OpenCL's compiler does.
 *
 * NVIDIA's OpenCL takes a cubin as a program's binary. It finds there, in section .nv.info.<kernel>, a record of 12
 * bytes for each parameter (KPARAM_INFO, 0x17):
 *
 *      0  4  index
 *      4  2  ordinal
 *      6  2  offset
 *      8  4  bits 0 to 7 log2 of the alignment of a pointer's target, 8 to 11 its space, 12 to 16 the bank; from bit
 *            18 on the bytes of the parameter
 *
 * The space of a pointer to global memory is 4 if PTX says `.ptr .global`. NVRTC's PTX says nothing, and the space is
 * 0: then OpenCL takes a buffer for a number of 8 bytes. CUDA reads no space. The layout was found by comparing the
 * cubins that ptxas of CUDA 13.0 makes with and without `.ptr .global .align 8`.
 */
#ifndef CLS_PACK_POINTERS_H
#define CLS_PACK_POINTERS_H

#include <stddef.h>

/* `ptx`: of the same source, compiled with CLS_CPP_NAMES. Its names of kernels tell the types of the parameters
 * (Itanium C++ ABI, 5.1.5). 0: the cubin is not as it is described above, or a kernel is not in `ptx`; then it stays as
 * it was. */
int pack_mark_pointers(unsigned char *cubin, size_t bytes, const char *ptx);

#endif
