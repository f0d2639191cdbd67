! solve_band.f90: how far a beam of length 1 bends that rests on both ends: w'''' = q, w = w'' = 0 at 0 and 1. On n
! points inside that is a band matrix with two diagonals on either side, factored once for several loads.
program solve_band
    use clsolve
    implicit none
    integer, parameter :: n = 999
    real(8), parameter :: h = 1d0 / (n + 1)
    real(8), target :: ab(5, n), b(n, 2) ! a(i, j) is ab(3 + i - j, j), as in LAPACK; b becomes the bending
    type(clsolve_context) :: context
    type(clsolve_band) :: band ! finalized, as the context is
    type(clsolve_band_options) :: options
    type(clsolve_report) :: report
    integer :: status

    ab = spread([1d0, -4d0, 6d0, -4d0, 1d0], 2, n)
    ab(3, [1, n]) = 5
    b(:, 1) = h**4 ! the weight of the beam
    b(:, 2) = 0 ! the same weight in the middle
    b((n + 1) / 2, 2) = h**3

    options%rcond = 1
    options%refine = 1
    call context%create(status)
    if (status /= CLSOLVE_OK) error stop clsolve_text(status)
    call band%create(context, n, 2, 2, CLSOLVE_F64, status, options)
    if (status == CLSOLVE_OK) call band%factor(clsolve_matrix_of(ab), status)
    if (status == CLSOLVE_OK) call band%solve(CLSOLVE_NO_TRANS, clsolve_matrix_of(b), status)
    if (status == CLSOLVE_OK) call band%report(report, status)
    if (status /= CLSOLVE_OK) error stop band%message()
    print "(a, f7.4, a, f7.4, a, es8.1)", "sag", b((n + 1) / 2, 1), " under its weight,", b((n + 1) / 2, 2), &
        " with all of it in the middle; 1 / condition", report%direct%rcond
end program solve_band
