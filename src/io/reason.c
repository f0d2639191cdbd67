#define _POSIX_C_SOURCE 200809L

#include "io/reason.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/message.h"

/* The length of what stands where `path` has a folder and is none; 0 where all of them are. */
static size_t find_no_folder(const char *path) {
    struct stat status;
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        const size_t length = (size_t)(slash - path);
        char *folder = strndup(path, length);
        const int is_none = folder && stat(folder, &status) == 0 && !S_ISDIR(status.st_mode);
        free(folder);
        if (is_none) return length;
    }
    return 0;
}

const char *mm_reason(char out[MM_REASON], const char *path, int error) {
    const size_t length = error == ENOTDIR ? find_no_folder(path) : 0;
    char *folder = length > 0 ? strndup(path, length) : NULL;
    char shown[200];
    if (folder)
        snprintf(out, MM_REASON, "'%s' is a file, not a folder; name a path through folders",
                 mm_show_path(shown, sizeof shown, folder));
    else if (error == EISDIR)
        snprintf(out, MM_REASON, "it is a folder; name a file in it");
    else if (error == ENOLINK)
        snprintf(out, MM_REASON, "a symbolic link that leads nowhere; remove it");
    else
        snprintf(out, MM_REASON, "%s", strerror(error));
    free(folder);
    return out;
}
