#include <clsolve/status.h>
#include <clsolve/version.h>

#define TEXT_OF_(x) #x
#define TEXT_OF(x)  TEXT_OF_(x)

const char *clsolve_version(void) {
    return TEXT_OF(CLSOLVE_VERSION_MAJOR) "." TEXT_OF(CLSOLVE_VERSION_MINOR) "." TEXT_OF(CLSOLVE_VERSION_PATCH);
}

const char *clsolve_status_text(clsolve_status status) {
    switch (status) {
#define CASE(name, value, text)                                                                                        \
    case CLSOLVE_##name:                                                                                               \
        return text;
        CLSOLVE_STATUS_LIST(CASE)
#undef CASE
    }
    return "not a status of this library";
}

const char *clsolve_status_name(clsolve_status status) {
    switch (status) {
#define CASE(name, value, text)                                                                                        \
    case CLSOLVE_##name:                                                                                               \
        return #name;
        CLSOLVE_STATUS_LIST(CASE)
#undef CASE
    }
    return "UNKNOWN";
}
