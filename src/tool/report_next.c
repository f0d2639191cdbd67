/* report_next.c: the last line of a report for people: what its reader most likely wants next. */
#include "tool/report.h"

#include <math.h>

/* Digits that the condition number leaves of those that the type has; a large number where it is not known. */
static double digits_left(const solve_job *job) {
    const double rcond = job->report.direct.rcond;
    return rcond > 0 && !job->report.direct.rcond_is_bound ? log10(rcond / job->precision->eps) : 99;
}

/* A file whose matrix is ill-conditioned comes first, then time that the next run can save, then the answer itself. */
void report_text_next(FILE *file, const solve_job *job) {
    const double few = job->precision->type == CLSOLVE_F32 ? 3 : 6, slow = 1; /* digits; seconds of compiling */
    const double digits = digits_left(job);
    const char *answer = job->inverse ? "inverse" : "solution";
    if (job_is_near_singular(job))
        fprintf(file,
                "next        look for a row or column of A that nearly follows from others, or --equilibrate where "
                "units differ\n");
    else if (!job->singular && digits < few)
        fprintf(file, "next        if A is exact to its last digit, about %.0f digits of the %s are right%s\n",
                fmax(1, floor(digits)), answer,
                job->precision->type == CLSOLVE_F32 ? "; --precision double has more" : "");
    else if (job->has_report && job->report.seconds.build > slow)
        fprintf(file, "next        clsolve warm compiles the kernels beforehand: here they took %.1f s\n",
                job->report.seconds.build);
    else if (job->solution_path == NULL)
        fprintf(file, "next        -o %s.mtx writes the %s\n", job->inverse ? "X" : "x", answer);
}
