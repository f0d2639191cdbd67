/*
 * shell.c: a PC type made of a PCSHELL, which is what PETSc's public interface has for it.
 *
 * PCSetType gives the PC its type's name and calls the type's function of creation. That function makes the PC a
 * PCSHELL and gives it its own name back. PCShellGetContext asks for the name, so the data hangs on the object instead.
 */
#include "plugin.h"

#define SHELL_DATA    "ClsolveShell"
#define SHELL_OPTIONS "ClsolveShellOptions" /* the PC has the handler of options */

typedef struct {
    void *data;
    ClsolveShellDestroy destroy;
    ClsolveShellOptions options;
} Shell;

static PetscErrorCode ShellQuery(PC pc, Shell **shell) {
    PetscContainer container;
    PetscFunctionBegin;
    *shell = NULL;
    PetscCall(PetscObjectQuery((PetscObject)pc, SHELL_DATA, (PetscObject *)&container));
    if (container) PetscCall(PetscContainerGetPointer(container, (void **)shell));
    PetscFunctionReturn(0);
}

static PetscErrorCode ShellDestroy(CLSOLVE_PETSC_CONTAINED) {
    Shell *shell = (Shell *)CLSOLVE_PETSC_POINTER;
    PetscFunctionBegin;
    PetscCall((*shell->destroy)(shell->data));
    PetscCall(PetscFree(shell));
    PetscFunctionReturn(0);
}

/* The PC is destroyed, or becomes another type: the data goes. */
static PetscErrorCode ShellLeave(PC pc) {
    PetscFunctionBegin;
    PetscCall(PetscObjectCompose((PetscObject)pc, SHELL_DATA, NULL));
    PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCClsolveSetLineLength_C", NULL));
    PetscFunctionReturn(0);
}

/* Handlers cannot be removed, so one serves all types and does nothing while the PC is another one. */
static PetscErrorCode ShellOptions(PetscObject object, ClsolveOptionItems PetscOptionsObject, void *nothing) {
    Shell *shell;
    PetscFunctionBegin;
    (void)nothing;
    PetscCall(ShellQuery((PC)object, &shell));
    if (shell) PetscCall((*shell->options)((PC)object, PetscOptionsObject));
    PetscFunctionReturn(0);
}

static PetscErrorCode ContainerCompose(PC pc, const char name[], void *pointer,
                                       PetscErrorCode (*destroy)(CLSOLVE_PETSC_CONTAINED)) {
    PetscContainer container;
    PetscFunctionBegin;
    PetscCall(PetscContainerCreate(PetscObjectComm((PetscObject)pc), &container));
    PetscCall(PetscContainerSetPointer(container, pointer));
    if (destroy) PetscCall(PetscContainerSetCtxDestroy(container, destroy));
    PetscCall(PetscObjectCompose((PetscObject)pc, name, (PetscObject)container));
    PetscCall(PetscContainerDestroy(&container));
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveShellCreate(PC pc, const char type[], void *data, ClsolveShellDestroy destroy,
                                  ClsolveShellOptions options) {
    Shell *shell;
    PetscObject has_handler;
    PetscFunctionBegin;
    PetscCall(PCSetType(pc, PCSHELL));
    PetscCall(PCShellSetName(pc, type));
    PetscCall(PCShellSetDestroy(pc, ShellLeave));
    PetscCall(PetscObjectChangeTypeName((PetscObject)pc, type));

    PetscCall(PetscNew(&shell));
    shell->data = data;
    shell->destroy = destroy;
    shell->options = options;
    PetscCall(ContainerCompose(pc, SHELL_DATA, shell, ShellDestroy));
    PetscCall(PetscObjectQuery((PetscObject)pc, SHELL_OPTIONS, &has_handler));
    if (!has_handler) {
        PetscCall(ContainerCompose(pc, SHELL_OPTIONS, NULL, NULL));
        PetscCall(PetscObjectAddOptionsHandler((PetscObject)pc, ShellOptions, NULL, NULL));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveShellGet(PC pc, void *data) {
    Shell *shell;
    PetscFunctionBegin;
    PetscCall(ShellQuery(pc, &shell));
    PetscCheck(shell, PetscObjectComm((PetscObject)pc), PETSC_ERR_PLIB, "Not a preconditioner of clsolve");
    *(void **)data = shell->data;
    PetscFunctionReturn(0);
}
