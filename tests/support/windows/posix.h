/* posix.h: what the tests use of POSIX and Windows has not, for the tests alone: each source of theirs begins with it. */
#ifndef CLS_TEST_WINDOWS_POSIX_H
#define CLS_TEST_WINDOWS_POSIX_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int setenv(const char *name, const char *value, int overwrite);
int unsetenv(const char *name);
/* The template's X become a name that nobody has; the folder is made. */
char *mkdtemp(char *path);
struct tm *gmtime_r(const time_t *when, struct tm *parts);
/* By the linker's wrapper of exit. One handler. */
int on_exit(void (*handler)(int status, void *what), void *what);
/* Of /proc/self/exe alone. */
long long test_readlink(const char *path, char *to, size_t size);

int test_let_others_write(const char *folder, int others);

/* "rm -r FOLDER" alone. */
int test_system(const char *command);

#define system(command)          test_system(command)
#define readlink(path, to, size) test_readlink(path, to, size)
#define CMPLX(real, imaginary)   __builtin_complex((double)(real), (double)(imaginary))
#define CMPLXF(real, imaginary)  __builtin_complex((float)(real), (float)(imaginary))

#endif
