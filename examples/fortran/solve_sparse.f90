! solve_sparse.f90: the temperature of a square plate, cold at its edge and heated evenly: the 5-point operator on m x m
! points as a sparse matrix, analysed and factored once; the library chooses the method.
program solve_sparse
    use clsolve
    implicit none
    integer, parameter :: m = 63, n = m * m
    integer, target :: row_start(n + 1), column(5 * n) ! both count from 1
    real(8), target :: values(5 * n), t(n)
    type(clsolve_context) :: context
    type(clsolve_solver) :: solver
    type(clsolve_csr) :: a
    type(clsolve_solve_report) :: report
    integer :: status, entries, i, j

    entries = 0
    row_start(1) = 1
    do j = 1, m
        do i = 1, m
            if (j > 1) call put(i, j - 1, -1d0)
            if (i > 1) call put(i - 1, j, -1d0)
            call put(i, j, 4d0)
            if (i < m) call put(i + 1, j, -1d0)
            if (j < m) call put(i, j + 1, -1d0)
            row_start(place(i, j) + 1) = entries + 1
        end do
    end do
    t = 1d0 / (m + 1)**2 ! the heat in each point, which becomes the temperature

    call context%create(status)
    if (status /= CLSOLVE_OK) error stop clsolve_text(status)
    a = clsolve_csr_of(row_start, column(:entries), values(:entries))
    call solver%create(context, a, status)
    if (status == CLSOLVE_OK) call solver%factor(a, status)
    if (status == CLSOLVE_OK) call solver%solve(t, status)
    if (status == CLSOLVE_OK) call solver%report(report, status)
    if (status /= CLSOLVE_OK) error stop solver%message()
    print "(a, f7.4, 2a)", "in the middle", t(place((m + 1) / 2, (m + 1) / 2)), ", by ", clsolve_string(report%name)

contains

    integer function place(i, j)
        integer, intent(in) :: i, j

        place = i + (j - 1) * m
    end function place

    subroutine put(i, j, element)
        integer, intent(in) :: i, j
        real(8), intent(in) :: element

        entries = entries + 1
        column(entries) = place(i, j)
        values(entries) = element
    end subroutine put
end program solve_sparse
