/* prologue.h: what fragments of C in the documents find declared, each in a function of its own. */
#include <clsolve/clsolve.h>
#include <clsolve/cuda.h>
#include <clsolve/opencl.h>
#include <stdio.h>
#include <stdlib.h>

extern clsolve_context *context;
extern clsolve_solver *solver;
extern clsolve_sparse *sparse;
extern clsolve_lu *lu;
extern clsolve_solve_report report;
extern clsolve_status status;
extern int64_t n, kl, ku, count, nrhs, entries, *info;
extern cl_mem memory_a, memory_b;
extern double *a, *ab, *b, *values;
extern int32_t *row_start, *column;
extern cl_command_queue other_queue;
extern struct CUstream_st *other_stream;
extern cl_event queue_event;
extern struct CUevent_st *stream_event;
extern clsolve_matrix B;
extern TYPE_OF_A A; /* the matrix of the text, dense or sparse */

/* The caller's own work in a queue or in a stream. */
void produce(void *queue, double *a, double *b);
void consume(void *queue, double *b);
