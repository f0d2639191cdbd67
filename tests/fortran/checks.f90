! checks.f90: counts the checks of test_fortran and prints those that failed.
module checks
    use, intrinsic :: iso_c_binding, only: c_int
    implicit none
    integer :: checked = 0, failed = 0

    ! The calls of clsolve_context_destroy and clsolve_solver_destroy so far (count_destroys.c).
    interface
        function contexts_destroyed() bind(C)
            import :: c_int
            integer(c_int) :: contexts_destroyed
        end function contexts_destroyed
        function solvers_destroyed() bind(C)
            import :: c_int
            integer(c_int) :: solvers_destroyed
        end function solvers_destroyed
    end interface

contains

    subroutine check(good, what)
        logical, intent(in) :: good
        character(len=*), intent(in) :: what

        checked = checked + 1
        if (good) return
        failed = failed + 1
        print "(2a)", "FAILED: ", what
    end subroutine check

    subroutine check_status(status, expected, what)
        use clsolve, only: clsolve_string, clsolve_status_name
        integer(c_int), intent(in) :: status, expected
        character(len=*), intent(in) :: what

        call check(status == expected, what // ": " // clsolve_string(clsolve_status_name(status)) // &
            " instead of " // clsolve_string(clsolve_status_name(expected)))
    end subroutine check_status
end module checks
