/*
 * held_compiler.h: OpenCL's compiler, which a test holds up, or lets fail. The program is linked with
 * --wrap=clBuildProgram (clsolve_link_held_compiler).
 */
#ifndef CLSOLVE_TEST_HELD_COMPILER_H
#define CLSOLVE_TEST_HELD_COMPILER_H

/* 1: who comes to the compiler from now on waits until this is called with 0. */
void hold_compiler(int held);
/* Returns when somebody has come since. */
void await_compiler(void);
/* 1: programs fail to build. */
void spoil_compiler(int spoilt);
/* Called once, by the next who comes. */
void with_compiler(void (*once)(void));

/* CUDA's compiler is not the one that the test can hold up. This loads no driver. */
int is_cuda(void);

#endif
