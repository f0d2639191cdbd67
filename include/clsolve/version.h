/* version.h: the version, read by the build as well, so that it stands in one place. */
#ifndef CLSOLVE_VERSION_H
#define CLSOLVE_VERSION_H

#include <clsolve/export.h>

#define CLSOLVE_VERSION_MAJOR 0
#define CLSOLVE_VERSION_MINOR 1
#define CLSOLVE_VERSION_PATCH 0

CLSOLVE_BEGIN_DECLS

/* The version of the library that runs, as "major.minor.patch"; the macros above tell that of the header. */
CLSOLVE_API const char *clsolve_version(void);

CLSOLVE_END_DECLS

#endif
