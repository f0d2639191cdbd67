#include "io/reason.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/path.h"
#include "base/system/text.h"
#include "io/message.h"

/* The length of what stands where `path` has a folder and is none; 0 where all of them are. */
static size_t find_no_folder(const char *path) {
    cls_path_about about;
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        const size_t length = (size_t)(slash - path);
        char *folder = cls_text_part(path, length);
        const int is_none = folder && cls_path_look(folder, &about) == 0 && about.kind != CLS_PATH_FOLDER;
        free(folder);
        if (is_none) return length;
    }
    return 0;
}

const char *mm_reason(char out[MM_REASON], const char *path, int error) {
    const size_t length = error == ENOTDIR ? find_no_folder(path) : 0;
    char *folder = length > 0 ? cls_text_part(path, length) : NULL;
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
