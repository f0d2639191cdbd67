! friendly.f90: the part of module clsolve that is no translation: contexts, the solver, one call, text. views.f90 has
! the views of arrays.
!
! generate.py puts the sections of both into clsolve.f90. `!each type` repeats a block for the four types, `!each index`
! for the two kinds of indices, `!each rank` for vectors and matrices, with these words:
!
!   type    @K@ f64   @T@ real(c_double)       @E@ CLSOLVE_F64   @B@ bytes of an element   @R@ kind of its real part
!   index   @I@ i32   @J@ integer(c_int32_t)   @X@ CLSOLVE_I32   @W@ bytes of an index
!   rank    @N@ 1     @S@ (:)                  @Z@ (size(b)), the shape of a result like b

!section handle

    ! A context, and how many objects use it: itself and the handles made from it. It is destroyed with the last of
    ! them, because Fortran finalizes the variables of a procedure in any order.
    type :: clsolve_shared
        type(c_ptr) :: handle = c_null_ptr
        integer :: users = 0
    end type clsolve_shared

    ! The part that the types below share. `handle` is for the bindings. An assignment leaves the left side empty,
    ! because a handle has one owner.
    type, abstract, public :: clsolve_handle
        type(c_ptr) :: handle = c_null_ptr
        type(clsolve_shared), pointer, private :: owner => null()
    contains
        procedure :: message => handle_message
        procedure(destroy_handle), deferred :: destroy
        procedure, private :: join => handle_join
        procedure, private :: leave => handle_leave
        procedure, private :: handle_assign
        generic :: assignment(=) => handle_assign
    end type clsolve_handle

    abstract interface
        subroutine destroy_handle(self)
            import :: clsolve_handle
            class(clsolve_handle), intent(inout) :: self
        end subroutine destroy_handle

        ! The type of a `progress` in options: its c_funloc. It must not call the library (report.h).
        subroutine clsolve_progress(user, phase, fraction) bind(C)
            import :: c_double, c_ptr
            type(c_ptr), value :: user, phase
            real(c_double), value :: fraction
        end subroutine clsolve_progress
    end interface
    public :: clsolve_progress

!section bound clsolve_context
        procedure :: create => context_create
        procedure :: adopt => context_adopt
!section bound clsolve_solver
        !each type
        procedure, private :: solver_create_@K@
        procedure, private :: solver_factor_@K@
        procedure, private :: solver_solve_@K@_1
        procedure, private :: solver_solve_@K@_2
        generic :: create => solver_create_@K@
        generic :: factor => solver_factor_@K@
        generic :: solve => solver_solve_@K@_1, solver_solve_@K@_2
        !end each
        generic :: create => solver_create_m, create_csr
        generic :: factor => solver_factor_m, factor_csr
        generic :: solve => solver_solve_m

!section interfaces

    ! The kinds and types of iso_c_binding that the calls speak of. Its procedures are not among them: gfortran 12 stops
    ! at c_associated(p, c_loc(a)) with an internal error when both come through another module.
    public :: c_char, c_double, c_double_complex, c_float, c_float_complex, c_funptr, c_int, c_int32_t, c_int64_t
    public :: c_null_char, c_null_funptr, c_null_ptr, c_ptr, c_size_t

    ! x = clsolve_solve(a, b, status): a is a square array or a view of a sparse matrix, b a vector or a matrix.
    interface clsolve_solve
        !each type rank
        module procedure solve_@K@_@N@
        module procedure solve_csr_@K@_@N@
        !end each
    end interface clsolve_solve

    ! Text of C as text of Fortran: of a pointer, or of a field such as clsolve_device_info's name.
    interface clsolve_string
        module procedure string_of_pointer
        module procedure string_of_letters
    end interface clsolve_string

    interface
        function c_length(text) bind(C, name="strlen") result(length)
            import :: c_ptr, c_size_t
            type(c_ptr), value :: text
            integer(c_size_t) :: length
        end function c_length
    end interface

    public :: clsolve_string, clsolve_text

!section procedures

    ! ---- handles ----

    ! The message of the last call that failed on the context of this handle.
    function handle_message(self) result(text)
        class(clsolve_handle), intent(in) :: self
        character(len=:), allocatable :: text

        if (associated(self%owner)) then
            text = clsolve_string(clsolve_context_message(self%owner%handle))
        else
            text = "the handle is empty: it was not created, or its context was not"
        end if
    end function handle_message

    ! The handle is about to be made from `context`.
    subroutine handle_join(self, context, status)
        class(clsolve_handle), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int), intent(out) :: status

        status = CLSOLVE_ERROR_INVALID_ARGUMENT
        if (.not. associated(context%owner)) return
        self%owner => context%owner
        self%owner%users = self%owner%users + 1
        status = CLSOLVE_OK
    end subroutine handle_join

    subroutine handle_leave(self)
        class(clsolve_handle), intent(inout) :: self
        integer :: failed

        if (.not. associated(self%owner)) return
        self%owner%users = self%owner%users - 1
        if (self%owner%users == 0) then
            call clsolve_context_destroy(self%owner%handle)
            deallocate (self%owner, stat=failed) ! without stat the object would hold the path of this file
        end if
        nullify (self%owner)
    end subroutine handle_leave

    subroutine handle_assign(self, other)
        class(clsolve_handle), intent(inout) :: self
        class(clsolve_handle), intent(in) :: other

        if (c_associated(self%handle, other%handle)) return ! a = a
        call self%destroy()
    end subroutine handle_assign

    ! Opens a device: the best one, or that of `selector` (context.h). `message` says why a creation failed.
    subroutine context_create(self, status, selector, cache_folder, message)
        class(clsolve_context), intent(inout) :: self
        integer(c_int), intent(out) :: status
        character(len=*), intent(in), optional :: selector, cache_folder
        character(len=*), intent(out), optional :: message
        type(clsolve_context_options) :: options
        character(kind=c_char), allocatable, target :: selector_c(:), folder_c(:)
        character(kind=c_char), target :: message_c(512)
        type(c_ptr) :: handle

        call self%destroy()
        message_c = c_null_char
        options%message = c_loc(message_c)
        options%message_size = size(message_c, kind=c_size_t)
        if (present(selector)) then
            selector_c = letters_of(selector)
            options%selector = c_loc(selector_c)
        end if
        if (present(cache_folder)) then
            folder_c = letters_of(cache_folder)
            options%cache_folder = c_loc(folder_c)
        end if
        handle = c_null_ptr
        status = clsolve_context_create_with(options, handle)
        if (status == CLSOLVE_OK) call self%adopt(handle, status)
        if (present(message)) message = clsolve_string(message_c)
    end subroutine context_create

    ! Takes over a context that a binding made, like clsolve_context_create_many. On failure the context is destroyed.
    subroutine context_adopt(self, handle, status)
        class(clsolve_context), intent(inout) :: self
        type(c_ptr), intent(in) :: handle
        integer(c_int), intent(out) :: status
        integer :: failed

        call self%destroy()
        status = CLSOLVE_ERROR_INVALID_ARGUMENT
        if (.not. c_associated(handle)) return
        allocate (self%owner, stat=failed)
        if (failed /= 0) then
            call clsolve_context_destroy(handle)
            status = CLSOLVE_ERROR_OUT_OF_MEMORY
            return
        end if
        self%handle = handle
        self%owner%handle = handle
        self%owner%users = 1
        status = CLSOLVE_OK
    end subroutine context_adopt

    ! ---- the solver, for arrays ----

    !each type
    subroutine solver_create_@K@(self, context, a, status, options)
        class(clsolve_solver), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        @T@, intent(in), target :: a(:, :)
        integer(c_int), intent(out) :: status
        type(clsolve_solver_options), intent(in), optional :: options

        call self%create(context, clsolve_matrix_of(a), status, options)
    end subroutine solver_create_@K@

    subroutine solver_factor_@K@(self, a, status)
        class(clsolve_solver), intent(in) :: self
        @T@, intent(in), target :: a(:, :)
        integer(c_int), intent(out) :: status

        call self%factor(clsolve_matrix_of(a), status)
    end subroutine solver_factor_@K@

    !end each
    !each type rank
    ! b becomes the solution of op(A) x = b.
    subroutine solver_solve_@K@_@N@(self, b, status, op)
        class(clsolve_solver), intent(in) :: self
        @T@, intent(inout), target :: b@S@
        integer(c_int), intent(out) :: status
        integer(c_int), intent(in), optional :: op

        call self%solve(chosen(op), clsolve_matrix_of(b), status)
    end subroutine solver_solve_@K@_@N@

    !end each
    ! ---- one call ----

    !each type rank
    ! The solution of op(A) x = b. It is NaN on any status but OK.
    function solve_@K@_@N@(a, b, status, message, op, options, context, report) result(x)
        @T@, intent(in), target :: a(:, :)
        @T@, intent(in) :: b@S@
        integer(c_int), intent(out), optional :: status
        character(len=*), intent(out), optional :: message
        integer(c_int), intent(in), optional :: op
        type(clsolve_solver_options), intent(in), optional :: options
        class(clsolve_context), intent(in), optional :: context
        type(clsolve_solve_report), intent(inout), optional :: report
        @T@, target :: x@Z@
        @T@, allocatable, target :: copy(:, :)
        type(clsolve_matrix) :: view
        integer(c_int) :: outcome, failed

        x = b
        view = clsolve_matrix_of(a)
        if (view%type == 0) then ! gaps, or backwards
            allocate (copy, source=a, stat=failed)
            if (failed == 0) view = clsolve_matrix_of(copy)
        end if
        call solve_views(clsolve_matrix_of(x), outcome, message, op, options, context, report, view)
        if (outcome /= CLSOLVE_OK) x = ieee_value(1.0_@R@, ieee_quiet_nan)
        if (present(status)) status = outcome
    end function solve_@K@_@N@

    ! The same for a sparse A, a view of clsolve_csr_of.
    function solve_csr_@K@_@N@(a, b, status, message, op, options, context, report) result(x)
        type(clsolve_csr), intent(in) :: a
        @T@, intent(in) :: b@S@
        integer(c_int), intent(out), optional :: status
        character(len=*), intent(out), optional :: message
        integer(c_int), intent(in), optional :: op
        type(clsolve_solver_options), intent(in), optional :: options
        class(clsolve_context), intent(in), optional :: context
        type(clsolve_solve_report), intent(inout), optional :: report
        @T@, target :: x@Z@
        integer(c_int) :: outcome

        x = b
        call solve_views(clsolve_matrix_of(x), outcome, message, op, options, context, report, sparse=a)
        if (outcome /= CLSOLVE_OK) x = ieee_value(1.0_@R@, ieee_quiet_nan)
        if (present(status)) status = outcome
    end function solve_csr_@K@_@N@

    !end each
    ! One of `dense` and `sparse` is A. Without a context one is made for this call.
    subroutine solve_views(x, outcome, message, op, options, context, report, dense, sparse)
        type(clsolve_matrix), intent(in) :: x
        integer(c_int), intent(out) :: outcome
        character(len=*), intent(out), optional :: message
        integer(c_int), intent(in), optional :: op
        type(clsolve_solver_options), intent(in), optional :: options
        class(clsolve_context), intent(in), optional :: context
        type(clsolve_solve_report), intent(inout), optional :: report
        type(clsolve_matrix), intent(in), optional :: dense
        type(clsolve_csr), intent(in), optional :: sparse
        type(clsolve_context) :: own
        type(c_ptr) :: handle

        if (present(message)) message = ""
        if (present(context)) then
            handle = context%handle
        else
            call own%create(outcome, message=message)
            if (outcome /= CLSOLVE_OK) return
            handle = own%handle
        end if
        if (present(dense)) then
            outcome = clsolve_solve(handle, chosen(op), dense, x, options, report)
        else
            outcome = clsolve_solve_csr(handle, chosen(op), sparse, x, options, report)
        end if
        if (present(message) .and. outcome /= CLSOLVE_OK) message = clsolve_string(clsolve_context_message(handle))
    end subroutine solve_views

    pure function chosen(op)
        integer(c_int), intent(in), optional :: op
        integer(c_int) :: chosen

        chosen = CLSOLVE_NO_TRANS
        if (present(op)) chosen = op
    end function chosen

    ! ---- text ----

    function string_of_pointer(pointer) result(text)
        type(c_ptr), intent(in) :: pointer
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)

        text = ""
        if (.not. c_associated(pointer)) return
        call c_f_pointer(pointer, letters, [c_length(pointer)])
        text = string_of_letters(letters)
    end function string_of_pointer

    function string_of_letters(letters) result(text)
        character(kind=c_char), intent(in) :: letters(:)
        character(len=:), allocatable :: text
        integer :: i, length, failed

        length = size(letters)
        do i = size(letters), 1, -1
            if (letters(i) == c_null_char) length = i - 1
        end do
        allocate (character(len=length) :: text, stat=failed)
        if (failed /= 0) then
            text = ""
            return
        end if
        do i = 1, length
            text(i:i) = letters(i)
        end do
    end function string_of_letters

    function letters_of(text) result(letters)
        character(len=*), intent(in) :: text
        character(kind=c_char) :: letters(len_trim(text) + 1)
        integer :: i

        do i = 1, len_trim(text)
            letters(i) = text(i:i)
        end do
        letters(len_trim(text) + 1) = c_null_char
    end function letters_of

    ! The text of a status: "the matrix is singular: a pivot is exactly zero".
    function clsolve_text(status) result(text)
        integer(c_int), intent(in) :: status
        character(len=:), allocatable :: text

        text = clsolve_string(clsolve_status_text(status))
    end function clsolve_text
