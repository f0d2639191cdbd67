/*
 * few_functions.c: few_functions POCL LIBRARY RESULT: PoCL's LIBRARY of built-in functions, LLVM's bitcode, without those that
 * cmake/FewBuiltins.awk does not declare either, and without what only they call. Each process that compiles a kernel
 * reads all of the library: 0.8 s for 23,000 functions, 0.15 s for what is left.
 *
 * PoCL's own LLVM does it, whatever version that is: POCL is PoCL's library, which brings it along. Where it does not, RESULT
 * stays the link to LIBRARY that it is. It is renamed into place, because tests may be reading it.
 */
#include <dlfcn.h>
#include <regex.h>
#include <stdio.h>

typedef void *ref;

/* Mangled names. A function stays while another one calls it. vload and vstore stay in all forms, as in the header. */
static const char left_out[] = "^_Z.*(Dv(3|8|16)_|Dv[0-9]+_[cahstlmD]|Dh|image|_sat|_rt[eznp]|explicit|async|prefetch)"
                               "|^_Z[0-9]+[a-fh-z]" /* PoCL's header puts _cl_ before these names */
                               "|Sleef_|__pocl_(exp|sin|cos|v_|epl|arg)";
static const char kept[] = "_cl_v(load|store)[0-9]";

static struct llvm {
    int (*read)(const char *path, ref *buffer, char **message);
    ref (*context)(void);
    int (*parse)(ref context, ref buffer, ref *module);
    ref (*first)(ref module);
    ref (*next)(ref function);
    ref (*use)(ref function);
    const char *(*name)(ref function);
    void (*remove)(ref function);
    int (*write)(ref module, const char *path);
} llvm;

static int find(void *library, const char *name, void *place) {
    return (*(void **)place = dlsym(library, name)) != NULL;
}

static int find_all(const char *pocl) {
    void *library = dlopen(pocl, RTLD_NOW);
    return library && find(library, "LLVMCreateMemoryBufferWithContentsOfFile", &llvm.read) &&
           find(library, "LLVMGetGlobalContext", &llvm.context) &&
           find(library, "LLVMParseBitcodeInContext2", &llvm.parse) &&
           find(library, "LLVMGetFirstFunction", &llvm.first) && find(library, "LLVMGetNextFunction", &llvm.next) &&
           find(library, "LLVMGetFirstUse", &llvm.use) && find(library, "LLVMGetValueName", &llvm.name) &&
           find(library, "LLVMDeleteFunction", &llvm.remove) && find(library, "LLVMWriteBitcodeToFile", &llvm.write);
}

/* Removes functions that nothing calls, and whose names say so; the number of them. */
static int remove_some(ref module, const regex_t *out, const regex_t *in) {
    int removed = 0;
    for (ref function = llvm.first(module), next; function; function = next) {
        const char *name = llvm.name(function);
        next = llvm.next(function);
        if (llvm.use(function) || regexec(out, name, 0, NULL, 0) != 0 || regexec(in, name, 0, NULL, 0) == 0) continue;
        llvm.remove(function);
        removed++;
    }
    return removed;
}

int main(int count, char **argument) {
    regex_t out, in;
    ref buffer, module;
    char *message, made[4096];
    if (count != 4 || regcomp(&out, left_out, REG_EXTENDED | REG_NOSUB) != 0 ||
        regcomp(&in, kept, REG_EXTENDED | REG_NOSUB) != 0)
        return 2;
    if (!find_all(argument[1]) || llvm.read(argument[2], &buffer, &message) != 0 ||
        llvm.parse(llvm.context(), buffer, &module) != 0) {
        printf("%s stays as it is: %s brings no LLVM that reads it\n", argument[2], argument[1]);
        return 0;
    }
    while (remove_some(module, &out, &in) > 0) continue;
    (void)snprintf(made, sizeof made, "%s.new", argument[3]);
    return llvm.write(module, made) != 0 || rename(made, argument[3]) != 0;
}
