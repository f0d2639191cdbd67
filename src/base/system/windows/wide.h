/* wide.h: UTF-8 outside, UTF-16 for the calls of Windows. */
#ifndef CLS_SYSTEM_WIDE_H
#define CLS_SYSTEM_WIDE_H

#include <stddef.h>
#include <wchar.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* The text in UTF-16 with `after` behind it, for free(); NULL with errno: no memory, or it is no UTF-8. */
wchar_t *cls_wide(const char *text, const char *after);
/* The same for a path, which may be longer than the 260 characters that Windows takes by itself. */
wchar_t *cls_wide_path(const char *path, const char *after);
/* 0: it does not fit. */
int cls_narrow(const wchar_t *wide, char *to, size_t size);
/* The same for free(). */
char *cls_narrow_copy(const wchar_t *wide);

/* The error of the last call of Windows as an errno, which is set too. */
int cls_windows_errno(void);

#endif
