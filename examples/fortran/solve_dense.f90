program solve_dense ! three equations on the best device there is
    use clsolve
    implicit none
    real(8) :: a(3, 3) = reshape([2d0, 4d0, -2d0, 1d0, -6d0, 7d0, 1d0, 0d0, 2d0], [3, 3]), x(3)
    integer :: status
    x = clsolve_solve(a, [7d0, -8d0, 18d0], status)
    if (status /= CLSOLVE_OK) error stop clsolve_text(status)
    print "(a, 3f6.3)", "x =", x
end program solve_dense
