#include <direct.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include <sddl.h>

/* Windows has no empty variables: these are set to nothing, so that a default does not take their place. */
enum { MOST_EMPTY = 16, LONGEST = 64 };
static char empty[MOST_EMPTY][LONGEST];

static char *find_empty(const char *name) {
    for (int k = 0; k < MOST_EMPTY; k++)
        if (strcmp(empty[k], name) == 0) return empty[k];
    return NULL;
}

int unsetenv(const char *name) {
    char *known = find_empty(name);
    if (known) known[0] = '\0';
    (void)_putenv_s(name, ""); /* it need not have been there */
    return 0;
}

/* UTF-8 as elsewhere, where _putenv_s has the system's code page. */
static int put(const char *name, const char *value) {
    wchar_t wide_name[LONGEST], wide[4096];
    if (MultiByteToWideChar(CP_UTF8, 0, name, -1, wide_name, LONGEST) < 1) return -1;
    if (MultiByteToWideChar(CP_UTF8, 0, value, -1, wide, 4096) < 1) return -1;
    return _wputenv_s(wide_name, wide);
}

int setenv(const char *name, const char *value, int overwrite) {
    if (!overwrite && (getenv(name) || find_empty(name))) return 0;
    (void)unsetenv(name);
    if (value[0] != '\0') return put(name, value);
    char *free_place = find_empty("");
    if (!free_place || strlen(name) >= LONGEST) return -1;
    (void)strcpy(free_place, name);
    return 0;
}

char *mkdtemp(char *path) {
    static unsigned number;
    char *x = strstr(path, "XXXXXX");
    for (int tries = 0; x && tries < 1000; tries++) {
        char digits[16];
        (void)snprintf(digits, sizeof digits, "%06lx", (GetCurrentProcessId() * 31 + number++) & 0xffffff);
        memcpy(x, digits, 6);
        if (_mkdir(path) == 0) return path;
    }
    return NULL;
}

struct tm *gmtime_r(const time_t *when, struct tm *parts) {
    return gmtime_s(parts, when) == 0 ? parts : NULL;
}

long long test_readlink(const char *path, char *to, size_t size) {
    (void)path;
    const DWORD length = GetModuleFileNameA(NULL, to, (DWORD)size);
    for (DWORD i = 0; i < length; i++)
        if (to[i] == '\\') to[i] = '/';
    if (length > 4 && strcmp(to + length - 4, ".exe") == 0) return length - 4;
    return length;
}

/* By an access list that is written as text: everybody, or this process's user. */
int test_let_others_write(const char *folder, int others) {
    wchar_t path[4096], list[256] = L"D:P(A;OICI;GA;;;WD)", *user = NULL;
    union {
        TOKEN_USER user;
        char room[256];
    } about;
    HANDLE token;
    DWORD bytes = 0;
    PSECURITY_DESCRIPTOR all = NULL;
    if (MultiByteToWideChar(CP_UTF8, 0, folder, -1, path, 4096) < 1) return 0;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) return 0;
    const BOOL known = GetTokenInformation(token, TokenUser, &about, sizeof about, &bytes) &&
                       ConvertSidToStringSidW(about.user.User.Sid, &user);
    (void)CloseHandle(token);
    if (!known) return 0;
    if (!others) (void)swprintf(list, 256, L"D:P(A;OICI;GA;;;%ls)", user);
    (void)LocalFree(user);
    if (!ConvertStringSecurityDescriptorToSecurityDescriptorW(list, SDDL_REVISION_1, &all, NULL)) return 0;
    const BOOL done = SetFileSecurityW(path, DACL_SECURITY_INFORMATION, all);
    (void)LocalFree(all);
    return done;
}

static int remove_folder(const char *path) {
    char inside[4096];
    WIN32_FIND_DATAA found;
    (void)snprintf(inside, sizeof inside, "%s/*", path);
    const HANDLE list = FindFirstFileA(inside, &found);
    if (list == INVALID_HANDLE_VALUE) return 1;
    do {
        if (strcmp(found.cFileName, ".") == 0 || strcmp(found.cFileName, "..") == 0) continue;
        (void)snprintf(inside, sizeof inside, "%s/%s", path, found.cFileName);
        if (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)
            (void)remove_folder(inside);
        else
            (void)DeleteFileA(inside);
    } while (FindNextFileA(list, &found));
    (void)FindClose(list);
    return RemoveDirectoryA(path) ? 0 : 1;
}

int test_system(const char *command) {
    char path[4096];
    if (sscanf(command, "rm -r%*[f] '%4095[^']'", path) != 1 && sscanf(command, "rm -r '%4095[^']'", path) != 1 &&
        sscanf(command, "rm -rf %4095s", path) != 1 && sscanf(command, "rm -r %4095s", path) != 1)
        return 127;
    return remove_folder(path);
}

static void (*at_exit)(int status, void *what);
static void *at_exit_what;

int on_exit(void (*handler)(int status, void *what), void *what) {
    at_exit = handler;
    at_exit_what = what;
    return 0;
}

WRAPS(void, exit, (int status)) {
    if (at_exit) at_exit(status, at_exit_what);
    __real_exit(status);
}
