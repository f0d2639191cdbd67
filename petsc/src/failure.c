/*
 * failure.c: statuses of clsolve as errors of PETSc, on all processes or on none.
 */
#include "plugin.h"

PetscErrorCode ClsolveErrorCode(clsolve_status status) {
    switch (status) {
    case CLSOLVE_OK:
        return 0;
    case CLSOLVE_ERROR_OUT_OF_MEMORY:
    case CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY:
        return PETSC_ERR_MEM;
    case CLSOLVE_ERROR_INVALID_ARGUMENT:
        return PETSC_ERR_ARG_WRONG;
    case CLSOLVE_ERROR_UNSUPPORTED:
        return PETSC_ERR_SUP;
    case CLSOLVE_ERROR_NONFINITE:
        return PETSC_ERR_FP;
    case CLSOLVE_ERROR_STATE:
        return PETSC_ERR_ORDER;
    case CLSOLVE_ERROR_FILE:
        return PETSC_ERR_FILE_OPEN;
    default:
        return PETSC_ERR_LIB;
    }
}

void ClsolveMessage(clsolve_context *context, clsolve_status status, char message[CLSOLVE_PETSC_TEXT]) {
    const char *text = context ? clsolve_context_message(context) : "";
    if (!text[0]) text = clsolve_status_text(status);
    (void)PetscSNPrintf(message, CLSOLVE_PETSC_TEXT, "%s: %s", clsolve_status_name(status), text);
}

PetscErrorCode ClsolveSay(const char message[]) {
    PetscMPIInt rank;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDERR, "[%d] clsolve: %s\n", rank, message));
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveAgree(MPI_Comm comm, clsolve_status status, const char message[]) {
    struct {
        int status, rank;
    } mine, worst; /* MPI_2INT */
    PetscMPIInt rank;
    char text[CLSOLVE_PETSC_TEXT];
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_rank(comm, &rank));
    mine.status = status < 0 ? (int)status : 0;
    mine.rank = rank;
    PetscCallMPI(MPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MINLOC, comm));
    if (worst.status == 0) PetscFunctionReturn(0);
    PetscCall(PetscStrncpy(text, rank == worst.rank ? message : "", sizeof text));
    PetscCallMPI(MPI_Bcast(text, sizeof text, MPI_CHAR, worst.rank, comm));
    SETERRQ(comm, ClsolveErrorCode((clsolve_status)worst.status), "clsolve, process %d: %s", worst.rank, text);
}
