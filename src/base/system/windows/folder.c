#include "base/system/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/windows/wide.h"

#include <aclapi.h>

enum { LONGEST = 4096, RETRIES = 50 };

/* ---- paths ---- */

static int is_separator(char c) {
    return c == '/' || c == '\\';
}

/* "C:\x", "C:/x" or "\\server\x". "\x" depends on the current drive. */
int cls_folder_is_absolute(const char *path) {
    if (is_separator(path[0])) return is_separator(path[1]);
    return path[0] != '\0' && path[1] == ':' && is_separator(path[2]);
}

int cls_folder_absolute(const char *path, char *to, size_t size) {
    wchar_t *wide = cls_wide(path, ""), *full = wide ? _wfullpath(NULL, wide, 0) : NULL;
    const int done = full && cls_narrow(full, to, size);
    free(wide);
    free(full);
    return done;
}

/* getenv has the value in the system's code page, which lacks most letters. */
int cls_folder_of_variable(const char *name, char *to, size_t size) {
    wchar_t value[LONGEST], *wide = cls_wide(name, "");
    const DWORD length = wide ? GetEnvironmentVariableW(wide, value, LONGEST) : 0;
    free(wide);
    return length > 0 && length < LONGEST && cls_narrow(value, to, size) && cls_folder_is_absolute(to);
}

int cls_folder_of_caches(char *to, size_t size) {
    return cls_folder_of_variable("LOCALAPPDATA", to, size);
}

/* A folder below the user's own takes its access list. */
void cls_folder_make(const char *path) {
    wchar_t *wide = cls_wide_path(path, "");
    for (wchar_t *at = wide; at && *at; at++) {
        if ((*at != L'/' && *at != L'\\') || at == wide || at[-1] == L':') continue;
        const wchar_t kept = *at;
        *at = L'\0';
        (void)CreateDirectoryW(wide, NULL);
        *at = kept;
    }
    if (wide) (void)CreateDirectoryW(wide, NULL);
    free(wide);
}

/* ---- whom it belongs to ---- */

/* This process's user, for free(). */
static TOKEN_USER *user(void) {
    HANDLE token;
    DWORD bytes = 0;
    TOKEN_USER *found = NULL;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) return NULL;
    (void)GetTokenInformation(token, TokenUser, NULL, 0, &bytes);
    if (bytes > 0) found = malloc(bytes);
    if (found && !GetTokenInformation(token, TokenUser, found, bytes, &bytes)) {
        free(found);
        found = NULL;
    }
    (void)CloseHandle(token);
    return found;
}

/* The user, the system, its administrators, and whoever owns a file then: no others. */
static int is_trusted(PSID who, PSID self) {
    static const WELL_KNOWN_SID_TYPE known[] = {WinLocalSystemSid, WinBuiltinAdministratorsSid, WinCreatorOwnerSid,
                                                WinCreatorOwnerRightsSid};
    if (EqualSid(who, self)) return 1;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (IsWellKnownSid(who, known[i])) return 1;
    return 0;
}

/* 1: an entry of the list lets somebody else write. No list at all lets everybody. */
static int others_write(PACL list, PSID self) {
    const DWORD writes = FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_DELETE_CHILD | DELETE | WRITE_DAC | WRITE_OWNER |
                         GENERIC_WRITE | GENERIC_ALL;
    ACL_SIZE_INFORMATION size;
    if (!list || !GetAclInformation(list, &size, sizeof size, AclSizeInformation)) return 1;
    for (DWORD i = 0; i < size.AceCount; i++) {
        ACCESS_ALLOWED_ACE *entry;
        if (!GetAce(list, i, (void **)&entry)) return 1;
        if (entry->Header.AceType != ACCESS_ALLOWED_ACE_TYPE || (entry->Header.AceFlags & INHERIT_ONLY_ACE)) continue;
        if ((entry->Mask & writes) && !is_trusted(&entry->SidStart, self)) return 1;
    }
    return 0;
}

/* NULL: what was opened may be used. */
static const char *unsafe(HANDLE handle) {
    PSID owner = NULL;
    PACL list = NULL;
    PSECURITY_DESCRIPTOR all = NULL;
    TOKEN_USER *self = user();
    const char *reason = "its owner is not known";
    if (self && GetSecurityInfo(handle, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner,
                                NULL, &list, NULL, &all) == ERROR_SUCCESS) {
        reason = !is_trusted(owner, self->User.Sid)   ? "it belongs to another user"
                 : others_write(list, self->User.Sid) ? "others may write to it"
                                                      : NULL;
        (void)LocalFree(all);
    }
    free(self);
    return reason;
}

/* ---- an open folder ---- */

static HANDLE open_wide(const wchar_t *path, DWORD access, DWORD how, DWORD flags) {
    return CreateFileW(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, how, flags, NULL);
}

int cls_folder_open(const char *path, cls_folder *folder, const char **reason) {
    wchar_t *wide = cls_wide_path(path, "");
    *folder = (cls_folder){-1, NULL};
    *reason = NULL;
    if (!wide) return 0;
    const HANDLE handle =
        open_wide(wide, READ_CONTROL | FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    if (handle == INVALID_HANDLE_VALUE) {
        (void)cls_windows_errno();
        free(wide);
        return 0;
    }
    const DWORD found = GetFileAttributesW(wide);
    errno = ENOTDIR;
    const int there = found != INVALID_FILE_ATTRIBUTES && (found & FILE_ATTRIBUTE_DIRECTORY) != 0;
    if (there) *reason = unsafe(handle);
    (void)CloseHandle(handle);
    free(wide);
    if (!there || *reason) return 0;
    folder->path = _strdup(path);
    return folder->path != NULL;
}

void cls_folder_close(cls_folder *folder) {
    free(folder->path);
    folder->path = NULL;
}

static wchar_t *inside(const cls_folder *folder, const char *name) {
    char behind[260];
    const int length = snprintf(behind, sizeof behind, "\\%s", name);
    return length > 0 && (size_t)length < sizeof behind ? cls_wide_path(folder->path, behind) : NULL;
}

static int descriptor_of(HANDLE handle, int flags) {
    const int file = _open_osfhandle((intptr_t)handle, flags | _O_BINARY | _O_NOINHERIT);
    if (file < 0) (void)CloseHandle(handle);
    return file;
}

int cls_folder_read(const cls_folder *folder, const char *name) {
    wchar_t *path = inside(folder, name);
    if (!path) return -1;
    const HANDLE handle = open_wide(path, GENERIC_READ | READ_CONTROL, OPEN_EXISTING,
                                    FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT);
    free(path);
    if (handle == INVALID_HANDLE_VALUE) return -1;
    if (GetFileType(handle) == FILE_TYPE_DISK && !unsafe(handle)) return descriptor_of(handle, _O_RDONLY);
    (void)CloseHandle(handle);
    return -1;
}

int cls_folder_create(const cls_folder *folder, const char *name) {
    wchar_t *path = inside(folder, name);
    if (!path) return -1;
    const HANDLE handle = open_wide(path, GENERIC_WRITE, CREATE_NEW, FILE_ATTRIBUTE_NORMAL);
    free(path);
    if (handle != INVALID_HANDLE_VALUE) return descriptor_of(handle, _O_WRONLY);
    (void)cls_windows_errno();
    return -1;
}

/* A file that is deleted while another process has it open cannot be opened until that one is closed: it is busy. */
int cls_folder_lock(const cls_folder *folder, const char *name, int *busy) {
    wchar_t *path = inside(folder, name);
    OVERLAPPED all = {0};
    *busy = 0;
    if (!path) return -1;
    const HANDLE handle = open_wide(path, GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL);
    const DWORD error = GetLastError();
    free(path);
    if (handle == INVALID_HANDLE_VALUE) {
        *busy = error == ERROR_ACCESS_DENIED || error == ERROR_SHARING_VIOLATION;
        return -1;
    }
    if (LockFileEx(handle, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &all))
        return descriptor_of(handle, _O_RDWR);
    *busy = GetLastError() == ERROR_LOCK_VIOLATION || GetLastError() == ERROR_IO_PENDING;
    (void)CloseHandle(handle);
    return -1;
}

/* A virus scanner that looks at one of the files keeps it from being renamed for a moment. */
int cls_folder_rename(const cls_folder *folder, const char *from, const char *to) {
    wchar_t *wide_from = inside(folder, from), *wide_to = inside(folder, to);
    int done = 0;
    for (int tries = 0; wide_from && wide_to && !done && tries < RETRIES; tries++) {
        done = MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING) != 0;
        if (!done && cls_windows_errno() != EACCES) break;
        if (!done) Sleep(2);
    }
    free(wide_from);
    free(wide_to);
    return done;
}

void cls_folder_remove(const cls_folder *folder, const char *name) {
    wchar_t *path = inside(folder, name);
    if (path) (void)DeleteFileW(path);
    free(path);
}

/* Seconds, from a time in units of 100 ns. */
static int64_t seconds_of(FILETIME time) {
    return (int64_t)(((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime) / 10000000u);
}

void cls_folder_remove_old(const cls_folder *folder, const char *prefix, int64_t seconds) {
    char pattern[64], name[LONGEST];
    FILETIME now;
    WIN32_FIND_DATAW found;
    (void)snprintf(pattern, sizeof pattern, "%s*", prefix);
    wchar_t *wide = inside(folder, pattern);
    const HANDLE list = wide ? FindFirstFileW(wide, &found) : INVALID_HANDLE_VALUE;
    free(wide);
    if (list == INVALID_HANDLE_VALUE) return;
    GetSystemTimeAsFileTime(&now);
    do {
        if (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) continue;
        if (seconds_of(now) - seconds_of(found.ftLastWriteTime) > seconds &&
            cls_narrow(found.cFileName, name, sizeof name))
            cls_folder_remove(folder, name);
    } while (FindNextFileW(list, &found));
    (void)FindClose(list);
}
