/* interrupt.h: what a signal that ends the command leaves behind: nothing. */
#ifndef CLS_TOOL_INTERRUPT_H
#define CLS_TOOL_INTERRUPT_H

/*
 * From now on SIGINT, SIGTERM and SIGHUP remove the temporary file that is being written, and then end the process as
 * they would have. Signals that whoever started the command ignores (nohup) stay ignored. Call it on the main thread,
 * which writes the files.
 */
void interrupt_clean_up(void);

#endif
