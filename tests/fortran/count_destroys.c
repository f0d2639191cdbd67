/* count_destroys.c: counts what the module destroys, by wrappers of the linker: else finalizers do not show. */
#include <clsolve/clsolve.h>

static int contexts, solvers;

void __real_clsolve_context_destroy(clsolve_context *context);
void __wrap_clsolve_context_destroy(clsolve_context *context);
void __real_clsolve_solver_destroy(clsolve_solver *solver);
void __wrap_clsolve_solver_destroy(clsolve_solver *solver);
int contexts_destroyed(void);
int solvers_destroyed(void);

void __wrap_clsolve_context_destroy(clsolve_context *context) {
    contexts += context != NULL;
    __real_clsolve_context_destroy(context);
}

void __wrap_clsolve_solver_destroy(clsolve_solver *solver) {
    solvers += solver != NULL;
    __real_clsolve_solver_destroy(solver);
}

int contexts_destroyed(void) {
    return contexts;
}
int solvers_destroyed(void) {
    return solvers;
}
