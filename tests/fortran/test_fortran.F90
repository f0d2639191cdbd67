! test_fortran.F90: the module clsolve on the host and on the device of CLSOLVE_TEST_DEVICE: the four types, views of
! arrays and their parts, bad shapes, finalizers, text.
#define PASTE(a) a
#define CAT(a,b) PASTE(a)PASTE(b)

module types
    use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_loc
    use clsolve
    use checks
    implicit none

contains

#define T real(c_float)
#define R c_float
#define NAME f32
#define TYPE CLSOLVE_F32
#define STRING " (f32) "
#define VALUE(re, im) re
#define CONJUGATE(a) a
#include "one_type.inc"

#define T real(c_double)
#define R c_double
#define NAME f64
#define TYPE CLSOLVE_F64
#define STRING " (f64) "
#define VALUE(re, im) re
#define CONJUGATE(a) a
#include "one_type.inc"

#define T complex(c_float_complex)
#define R c_float
#define NAME c32
#define TYPE CLSOLVE_C32
#define STRING " (c32) "
#define VALUE(re, im) cmplx(re, im, c_float)
#define CONJUGATE(a) conjg(a)
#include "one_type.inc"

#define T complex(c_double_complex)
#define R c_double
#define NAME c64
#define TYPE CLSOLVE_C64
#define STRING " (c64) "
#define VALUE(re, im) cmplx(re, im, c_double)
#define CONJUGATE(a) conjg(a)
#include "one_type.inc"
end module types

program test_fortran
    use types
    implicit none
    integer, parameter :: sizes(8) = [1, 2, 3, 5, 15, 16, 17, 61]
    character(len=64) :: selector
    integer :: i, length

    call random_seed(put=[(i, i = 1, 64)])
    call views_f32()
    call views_f64()
    call views_c32()
    call views_c64()
    call views_of_much()
    call empty_handles()
    call calls_by_c()
    call on_device("host")
    call get_environment_variable("CLSOLVE_TEST_DEVICE", selector, length)
    call on_device(trim(selector))
    print "(i0, a, i0, a)", checked, " checks, ", failed, " failed"
    if (failed > 0) stop 1

contains

    subroutine on_device(selector)
        character(len=*), intent(in) :: selector
        type(clsolve_context) :: context
        type(clsolve_device_info) :: device
        integer(c_int) :: status
        character(len=400) :: message
        integer :: i

        call context%create(status, selector, message=message)
        if (status == CLSOLVE_ERROR_NO_DEVICE) then
            print "(3a)", "skipped: no device '", selector, "': " // trim(message)
            return
        end if
        call check_status(status, CLSOLVE_OK, "context '" // selector // "': " // trim(message))
        if (status /= CLSOLVE_OK) return
        device = context%device()
        print "(2a)", "on ", clsolve_string(device%name)
        call check(context%device_count() == 1, "one device")
        do i = 1, size(sizes)
            call dense_f64(context, sizes(i))
            call sparse_f64(context, sizes(i))
        end do
        call dense_f32(context, 17)
        call dense_c32(context, 16)
        call dense_c64(context, 15)
        call sparse_f32(context, 12)
        call sparse_c32(context, 13)
        call sparse_c64(context, 14)
        call bad_shapes(context)
        call families(context)
        call finalized(selector)
    end subroutine on_device

    ! More elements than a default integer counts. A view computes addresses alone, so the memory need not be there.
    subroutine views_of_much()
        real(8), target :: little(1)
        real(8), pointer :: matrix(:, :), vector(:)
        type(clsolve_matrix) :: view
        type(clsolve_batch) :: batch

        call c_f_pointer(c_loc(little), matrix, [65536, 65536])
        view = clsolve_matrix_of(matrix)
        call check(c_associated(view%data, c_loc(little)), "the place of 2^32 elements")
        call check(view%rows == 65536 .and. view%cols == 65536 .and. view%ld == 65536, "the shape of 2^32 elements")
        batch = clsolve_batch_of(matrix)
        call check(batch%count == 65536 .and. c_associated(batch%data, c_loc(little)), "a batch of 2^32 elements")
        call c_f_pointer(c_loc(little), vector, [2_c_int64_t**32])
        view = clsolve_matrix_of(vector)
        call check(view%rows == 2_c_int64_t**32 .and. view%cols == 1, "a vector of 2^32 elements")
    end subroutine views_of_much

    ! No object was created: every call returns, and says that.
    subroutine empty_handles()
        type(clsolve_context) :: context
        type(clsolve_solver) :: solver
        type(clsolve_lu) :: lu
        real(8), target :: a(2, 2), b(2)
        integer(c_int) :: status

        a = 1
        b = 1
        call solver%create(context, a, status)
        call check_status(status, CLSOLVE_ERROR_INVALID_ARGUMENT, "a context that is empty")
        call solver%factor(a, status)
        call check_status(status, CLSOLVE_ERROR_INVALID_ARGUMENT, "factor by an empty handle")
        call solver%solve(b, status)
        call check_status(status, CLSOLVE_ERROR_INVALID_ARGUMENT, "solve by an empty handle")
        call check(index(solver%message(), "empty") > 0, "the message of an empty handle")
        call lu%destroy()
        call lu%destroy()
        b = clsolve_solve(a, b, status, context=context)
        call check_status(status, CLSOLVE_ERROR_INVALID_ARGUMENT, "one call, a context that is empty")
        call check(all(b /= b), "the solution of a failed call is NaN")
        call context%create(status, "no such device")
        call check_status(status, CLSOLVE_ERROR_NO_DEVICE, "no such device")
        call check(clsolve_text(status) == clsolve_string(clsolve_status_text(status)), "text of a status")
        call check(clsolve_string(clsolve_version()) == version(), "version")
        call check(clsolve_string(c_null_ptr) == "", "text of NULL")
    end subroutine empty_handles

    function version()
        character(len=:), allocatable :: version
        character(len=32) :: text

        write (text, "(i0, '.', i0, '.', i0)") CLSOLVE_VERSION_MAJOR, CLSOLVE_VERSION_MINOR, CLSOLVE_VERSION_PATCH
        version = trim(text)
    end function version

    ! The bindings alone, as in C.
    subroutine calls_by_c()
        real(8), target :: a(2, 2), b(2, 1)
        type(c_ptr) :: handle, lu
        type(clsolve_context) :: context
        type(clsolve_report) :: report
        type(clsolve_lu_options) :: options
        integer(c_int64_t) :: ipiv(2)
        real(c_double) :: rcond
        integer :: called
        integer(c_int) :: status

        a = reshape([0d0, 2d0, 4d0, 0d0], [2, 2])
        b(:, 1) = [8d0, 2d0]
        lu = c_null_ptr
        status = clsolve_context_create("host" // c_null_char, handle)
        call check_status(status, CLSOLVE_OK, "clsolve_context_create")
        options%rcond = 1
        status = clsolve_lu_create(handle, 2_c_int64_t, CLSOLVE_F64, options, lu)
        call check_status(status, CLSOLVE_OK, "clsolve_lu_create")
        status = clsolve_lu_factor(lu, clsolve_matrix_of(a))
        call check_status(status, CLSOLVE_OK, "clsolve_lu_factor")
        status = clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, clsolve_matrix_of(b))
        call check_status(status, CLSOLVE_OK, "clsolve_lu_solve")
        call check(all(b(:, 1) == [1d0, 2d0]), "x of clsolve_lu_solve")
        status = clsolve_lu_factors(lu, ipiv=ipiv) ! LU is NULL
        call check(status == CLSOLVE_OK .and. all(ipiv == 2), "clsolve_lu_factors")
        status = clsolve_lu_report(lu, report)
        call check(clsolve_string(report%method) == "lu" .and. report%n == 2, "clsolve_lu_report")
        status = clsolve_lu_condition(lu, CLSOLVE_NORM_ONE, 4d0, rcond)
        call check(status == CLSOLVE_OK .and. abs(rcond - 0.5d0) < 1d-12, "clsolve_lu_condition")
        status = clsolve_lu_factor(lu)
        call check_status(status, CLSOLVE_ERROR_INVALID_ARGUMENT, "clsolve_lu_factor of NULL")
        call check(clsolve_string(clsolve_context_message(handle)) /= "", "clsolve_context_message")
        call clsolve_lu_destroy(lu)
        called = contexts_destroyed()
        call context%adopt(handle, status)
        call check_status(status, CLSOLVE_OK, "adopt")
        call context%destroy()
        call check(contexts_destroyed() == called + 1, "an adopted context is destroyed")
    end subroutine calls_by_c

    subroutine bad_shapes(context)
        class(clsolve_context), intent(in) :: context
        real(8), target :: a(3, 4), b(4), square(3, 3), few(2), none(0, 0), nothing(0)
        type(clsolve_solver) :: solver
        integer(c_int) :: status
        character(len=400) :: message

        a = 1
        b = 1
        few = 1
        call random_f64(square)
        b = clsolve_solve(a, b, status, message, context=context)
        call check_status(status, CLSOLVE_ERROR_INVALID_ARGUMENT, "3 x 4")
        call check(message /= "" .and. all(b /= b), "the message and the solution of 3 x 4")
        few = clsolve_solve(square, few, status, message, context=context)
        call check_status(status, CLSOLVE_ERROR_INVALID_ARGUMENT, "b too short")
        call solver%create(context, square, status)
        call solver%solve(b(:3), status)
        call check_status(status, CLSOLVE_ERROR_STATE, "solve before factor")
        call solver%factor(square, status)
        call check_status(status, CLSOLVE_OK, "factor")
        call solver%factor(a, status)
        call check_status(status, CLSOLVE_ERROR_INVALID_ARGUMENT, "factor of another shape")
        call check(solver%message() /= "", "the message of a solver")
        call solver%factor(cmplx(square, kind=8), status)
        call check_status(status, CLSOLVE_ERROR_INVALID_ARGUMENT, "factor of another type")
        call solver%solve(few, status)
        call check_status(status, CLSOLVE_ERROR_INVALID_ARGUMENT, "solve with b too short")
        nothing = clsolve_solve(none, nothing, status, message, context=context)
        call check_status(status, CLSOLVE_OK, "no unknowns " // trim(message))
        square = 0
        b(:3) = clsolve_solve(square, [1d0, 1d0, 1d0], status, message, context=context)
        call check_status(status, CLSOLVE_SINGULAR, "zeros")
        call check(all(b(:3) /= b(:3)), "the solution of a singular system")
    end subroutine bad_shapes

    ! A batch through its views, and a band in LAPACK's storage.
    subroutine families(context)
        class(clsolve_context), intent(in) :: context
        integer, parameter :: n = 9, members = 4
        real(8), target :: dl(n, members), d(n, members), du(n, members), b(n, 1, members)
        real(8), target :: ab(3, n), x(n), a(n, n)
        type(clsolve_tridiagonal_batch) :: batch
        type(clsolve_band) :: band
        integer(c_int64_t) :: info(members)
        integer(c_int) :: status
        integer :: i

        call random_number(dl)
        call random_number(du)
        call random_number(b)
        d = 4
        a = 0
        a(1, 1) = d(1, 3)
        do i = 2, n
            a(i, i) = d(i, 3)
            a(i, i - 1) = dl(i, 3)
            a(i - 1, i) = du(i - 1, 3)
        end do
        ab(1, 2:) = du(:n - 1, 3)
        ab(2, :) = d(:, 3)
        ab(3, :n - 1) = dl(2:, 3)
        x = b(:, 1, 3)
        call batch%create(context, n, members, CLSOLVE_F64, status)
        call check_status(status, CLSOLVE_OK, "batch%create")
        info = -7
        call batch%factor(clsolve_batch_of(dl), clsolve_batch_of(d), clsolve_batch_of(du), status, info)
        call check_status(status, CLSOLVE_OK, "batch%factor")
        call check(all(info == 0), "info of a batch")
        call batch%solve(CLSOLVE_NO_TRANS, clsolve_batch_of(b), status)
        call check_status(status, CLSOLVE_ERROR_INVALID_ARGUMENT, "batch%solve without info")
        call batch%solve(CLSOLVE_NO_TRANS, clsolve_batch_of(b), status, info)
        call check_status(status, CLSOLVE_OK, "batch%solve")
        call check_f64(a, b(:, :, 3), reshape(x, [n, 1]), "a member of a batch")
        call band%create(context, n, 1, 1, CLSOLVE_F64, status)
        call check_status(status, CLSOLVE_OK, "band%create")
        call band%factor(clsolve_matrix_of(ab), status)
        call check_status(status, CLSOLVE_OK, "band%factor")
        b(:, 1, 1) = x
        call band%solve(CLSOLVE_NO_TRANS, clsolve_matrix_of(x), status)
        call check_status(status, CLSOLVE_OK, "band%solve")
        call check_f64(a, reshape(x, [n, 1]), b(:, :, 1), "a band")
    end subroutine families

    ! Handles and contexts go when their variables do, the context last; an assignment leaves one owner.
    subroutine finalized(selector)
        character(len=*), intent(in) :: selector
        integer :: contexts, solvers

        contexts = contexts_destroyed()
        solvers = solvers_destroyed()
        call make_and_leave(selector)
        call check(solvers_destroyed() - solvers == 4, "each solver is destroyed once")
        call check(contexts_destroyed() - contexts == 1, "the context is destroyed once")
    end subroutine finalized

    subroutine make_and_leave(selector)
        character(len=*), intent(in) :: selector
        type(clsolve_solver) :: solver, other, several(2)
        type(clsolve_context) :: context
        real(8), target :: a(2, 2), b(2)
        integer(c_int) :: status
        integer :: contexts, solvers

        a = reshape([2d0, 0d0, 0d0, 2d0], [2, 2])
        b = 4
        contexts = contexts_destroyed()
        call context%create(status, selector)
        call solver%create(context, a, status)
        solvers = solvers_destroyed()
        call solver%create(context, a, status) ! the first one goes
        call check(solvers_destroyed() == solvers + 1, "a second create destroys the first")
        call several(1)%create(context, a, status)
        call several(2)%create(context, a, status)
        other = solver
        call check(.not. c_associated(other%handle) .and. c_associated(solver%handle), "an assignment copies no handle")
        solver = solver
        call check(c_associated(solver%handle), "a = a changes nothing")
        call context%destroy() ! the solvers still have it
        call check(contexts_destroyed() == contexts, "a context stays as long as its handles")
        call solver%factor(a, status)
        call check_status(status, CLSOLVE_OK, "factor after the context's destroy")
        call solver%solve(b, status)
        call check(status == CLSOLVE_OK .and. all(b == 2), "solve after the context's destroy")
        call other%create(context, a, status)
        call check_status(status, CLSOLVE_ERROR_INVALID_ARGUMENT, "create after the context's destroy")
    end subroutine make_and_leave
end program test_fortran
