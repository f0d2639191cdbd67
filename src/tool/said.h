/* said.h: what the library says of a failure, in the words of the command: no call's name, options as after "--". */
#ifndef CLS_TOOL_SAID_H
#define CLS_TOOL_SAID_H

#include <clsolve/clsolve.h>

#define SAID_SIZE 4096

/* The last message of `context`, or the status's text where there is none. */
void said_by_context(clsolve_context *context, clsolve_status status, char text[SAID_SIZE]);
/* The same of a message that is at hand. */
void said_in_own_words(const char *message, clsolve_status status, char text[SAID_SIZE]);
/* The end of the message of a context that was not made: where to look for devices, if that may help. */
const char *said_of_devices(clsolve_status status);

#endif
