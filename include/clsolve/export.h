/* export.h: marks the functions that the shared library exports. All other functions are hidden. */
#ifndef CLSOLVE_EXPORT_H
#define CLSOLVE_EXPORT_H

#if defined(CLSOLVE_BUILDING) && defined(_WIN32)
#define CLSOLVE_API __declspec(dllexport)
#elif defined(CLSOLVE_BUILDING) && defined(__GNUC__)
#define CLSOLVE_API __attribute__((visibility("default")))
#else
#define CLSOLVE_API
#endif

#ifdef __cplusplus
#define CLSOLVE_BEGIN_DECLS extern "C" {
#define CLSOLVE_END_DECLS   }
#else
#define CLSOLVE_BEGIN_DECLS
#define CLSOLVE_END_DECLS
#endif

#endif
