/* program.h: the command as a program of this system: its arguments and streams, interrupts, processes that it starts.
 */
#ifndef CLS_SYSTEM_PROGRAM_H
#define CLS_SYSTEM_PROGRAM_H

#include <stdint.h>
#include <stdio.h>

/* The first call of main. A reader of the output that goes away is a failed write from here on. On Windows *argv
 * becomes UTF-8, and the standard streams carry bytes; 0: there is no memory for that. */
int cls_program_begin(int *argc, char ***argv);

/* When the user or the system interrupts the program, it calls `clean_up` and ends. It may be called within any other
 * call, so it must do no more than a signal's handler may. A signal that is ignored stays ignored. */
void cls_program_on_interrupt(void (*clean_up)(void));

/* 1: the stream is a terminal on which a line can be drawn again. */
int cls_program_is_terminal(FILE *stream);

/* This program once more, with other arguments, the last of them NULL, and without its streams. 0: it did not start. */
int cls_program_start(char *const *arguments, int64_t *process);
/* Until it ends. */
void cls_program_wait(int64_t process);

#endif
