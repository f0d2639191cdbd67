/* version.h: the version of the library. The build reads the version from here too. */
#ifndef CLSOLVE_VERSION_H
#define CLSOLVE_VERSION_H

#include <clsolve/export.h>

#define CLSOLVE_VERSION_MAJOR 0
#define CLSOLVE_VERSION_MINOR 1
#define CLSOLVE_VERSION_PATCH 0

CLSOLVE_BEGIN_DECLS

/* The version of the library that runs, as "major.minor.patch". The macros above give the version of this header. */
CLSOLVE_API const char *clsolve_version(void);

CLSOLVE_END_DECLS

#endif
