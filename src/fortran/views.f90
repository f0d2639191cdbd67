! views.f90: the part of module clsolve that makes views of arrays. friendly.f90 explains the repeated blocks.

!section views

    ! Views of the caller's arrays, which need the attribute `target`. A shape or a stride that the library cannot take
    ! gives a view that every call refuses with CLSOLVE_ERROR_INVALID_ARGUMENT.
    interface clsolve_matrix_of
        !each type
        module procedure matrix_of_@K@_1
        module procedure matrix_of_@K@_2
        !end each
    end interface clsolve_matrix_of

    interface clsolve_csr_of
        !each index type
        module procedure csr_of_@I@_@K@
        !end each
    end interface clsolve_csr_of

    interface clsolve_batch_of
        !each type
        module procedure batch_of_@K@_2
        module procedure batch_of_@K@_3
        !end each
    end interface clsolve_batch_of

    interface clsolve_grid_of
        !each type
        module procedure grid_of_@K@_2
        module procedure grid_of_@K@_3
        !end each
    end interface clsolve_grid_of

    public :: clsolve_matrix_of, clsolve_csr_of, clsolve_batch_of, clsolve_grid_of

!section procedures of views

    ! ---- views ----

    ! The distance of two neighbours in elements. 0: there is no second element; -1: no view has such a distance.
    function distance(first, next, bytes)
        type(c_ptr), intent(in) :: first, next
        integer, intent(in) :: bytes
        integer(c_int64_t) :: distance

        distance = 0
        if (.not. c_associated(next)) return
        distance = int(transfer(next, 0_c_intptr_t) - transfer(first, 0_c_intptr_t), c_int64_t)
        if (distance <= 0 .or. modulo(distance, int(bytes, c_int64_t)) /= 0) then
            distance = -1
        else
            distance = distance / bytes
        end if
    end function distance

    ! near(k + 1) is the address of the second element in dimension k, near(1) that of the first element.
    function matrix_at(type, bytes, rows, cols, near) result(view)
        integer(c_int), intent(in) :: type
        integer, intent(in) :: bytes
        integer(c_int64_t), intent(in) :: rows, cols
        type(c_ptr), intent(in) :: near(:)
        type(clsolve_matrix) :: view
        integer(c_int64_t) :: down, right

        down = distance(near(1), near(2), bytes)
        right = distance(near(1), near(3), bytes)
        view%type = type
        view%rows = rows
        view%cols = cols
        view%data = near(1)
        if (down < 0 .or. right < 0) then
            view%type = 0
        else if (down <= 1) then
            view%layout = CLSOLVE_COLUMN_MAJOR
            view%ld = merge(right, max(rows, 1_c_int64_t), right > 0)
        else if (right <= 1) then ! a vector with a stride, or a row of a matrix
            view%layout = CLSOLVE_ROW_MAJOR
            view%ld = down
        else
            view%type = 0
        end if
    end function matrix_at

    !each type
    function matrix_of_@K@_1(a) result(view)
        @T@, intent(in), target :: a(:)
        type(clsolve_matrix) :: view
        type(c_ptr) :: near(3)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1))
        if (size(a, kind=c_int64_t) > 1) near(2) = c_loc(a(2))
        view = matrix_at(@E@, @B@, size(a, kind=c_int64_t), 1_c_int64_t, near)
    end function matrix_of_@K@_1

    function matrix_of_@K@_2(a) result(view)
        @T@, intent(in), target :: a(:, :)
        type(clsolve_matrix) :: view
        type(c_ptr) :: near(3)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1, 1))
        if (filled .and. size(a, 1) > 1) near(2) = c_loc(a(2, 1))
        if (filled .and. size(a, 2) > 1) near(3) = c_loc(a(1, 2))
        view = matrix_at(@E@, @B@, size(a, 1, c_int64_t), size(a, 2, c_int64_t), near)
    end function matrix_of_@K@_2

    ! a(:, m) is member m of a batch, a vector.
    function batch_of_@K@_2(a) result(view)
        @T@, intent(in), target :: a(:, :)
        type(clsolve_batch) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1, 1))
        if (filled .and. size(a, 1) > 1) near(2) = c_loc(a(2, 1))
        if (filled .and. size(a, 2) > 1) near(4) = c_loc(a(1, 2))
        view = batch_at(@E@, @B@, [size(a, 1, c_int64_t), 1_c_int64_t, size(a, 2, c_int64_t)], near)
    end function batch_of_@K@_2

    ! a(:, :, m) is member m of a batch, a matrix.
    function batch_of_@K@_3(a) result(view)
        @T@, intent(in), target :: a(:, :, :)
        type(clsolve_batch) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1, 1, 1))
        if (filled .and. size(a, 1) > 1) near(2) = c_loc(a(2, 1, 1))
        if (filled .and. size(a, 2) > 1) near(3) = c_loc(a(1, 2, 1))
        if (filled .and. size(a, 3) > 1) near(4) = c_loc(a(1, 1, 2))
        view = batch_at(@E@, @B@, shape(a, c_int64_t), near)
    end function batch_of_@K@_3

    ! y(j, i) is point j of line i of a grid.
    function grid_of_@K@_2(y) result(view)
        @T@, intent(in), target :: y(:, :)
        type(clsolve_grid) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(y, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(y(1, 1))
        if (filled .and. size(y, 1) > 1) near(2) = c_loc(y(2, 1))
        if (filled .and. size(y, 2) > 1) near(3) = c_loc(y(1, 2))
        view = grid_at(@E@, @B@, shape(y, c_int64_t), near)
    end function grid_of_@K@_2

    ! y(j, i, r) is point j of line i of right-hand side r.
    function grid_of_@K@_3(y) result(view)
        @T@, intent(in), target :: y(:, :, :)
        type(clsolve_grid) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(y, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(y(1, 1, 1))
        if (filled .and. size(y, 1) > 1) near(2) = c_loc(y(2, 1, 1))
        if (filled .and. size(y, 2) > 1) near(3) = c_loc(y(1, 2, 1))
        if (filled .and. size(y, 3) > 1) near(4) = c_loc(y(1, 1, 2))
        view = grid_at(@E@, @B@, shape(y, c_int64_t), near)
    end function grid_of_@K@_3

    !end each
    ! extents: rows, columns, members.
    function batch_at(type, bytes, extents, near) result(view)
        integer(c_int), intent(in) :: type
        integer, intent(in) :: bytes
        integer(c_int64_t), intent(in) :: extents(3)
        type(c_ptr), intent(in) :: near(:)
        type(clsolve_batch) :: view
        type(clsolve_matrix) :: member
        integer(c_int64_t) :: apart

        member = matrix_at(type, bytes, extents(1), extents(2), near)
        apart = distance(near(1), near(4), bytes)
        view%type = member%type
        if (apart < 0) view%type = 0
        view%layout = member%layout
        view%rows = extents(1)
        view%cols = extents(2)
        view%count = extents(3)
        view%ld = member%ld
        view%stride = merge(apart, extents(1) * extents(2), apart > 0)
        view%data = near(1)
    end function batch_at

    ! extents: points of a line, lines; right-hand sides, where there are some.
    function grid_at(type, bytes, extents, near) result(view)
        integer(c_int), intent(in) :: type
        integer, intent(in) :: bytes
        integer(c_int64_t), intent(in) :: extents(:)
        type(c_ptr), intent(in) :: near(:)
        type(clsolve_grid) :: view
        integer(c_int64_t) :: along, across, apart

        along = distance(near(1), near(2), bytes)
        across = distance(near(1), near(3), bytes)
        apart = distance(near(1), near(4), bytes)
        view%type = type
        if (along < 0 .or. across < 0 .or. apart < 0) view%type = 0
        view%stride = merge(along, 1_c_int64_t, along > 0)
        view%line_stride = merge(across, extents(1), across > 0)
        view%rhs_stride = merge(apart, extents(1) * extents(2), apart > 0)
        view%data = near(1)
    end function grid_at

    ! Row i of A has the entries row_start(i) .. row_start(i + 1) - 1 of column and values. All count from row_start(1),
    ! which is 0 or 1. The matrix is square unless `cols` says otherwise.
    !each index type
    function csr_of_@I@_@K@(row_start, column, values, cols) result(view)
        @J@, intent(in), target :: row_start(:), column(:)
        @T@, intent(in), target :: values(:)
        integer, intent(in), optional :: cols
        type(clsolve_csr) :: view
        type(c_ptr) :: near(6)
        integer(c_int64_t) :: sizes(3), apart(3), first, last

        sizes = [size(row_start, kind=c_int64_t), size(column, kind=c_int64_t), size(values, kind=c_int64_t)]
        near = c_null_ptr
        if (sizes(1) > 0) near(1) = c_loc(row_start(1))
        if (sizes(1) > 1) near(2) = c_loc(row_start(2))
        if (sizes(2) > 0) near(3) = c_loc(column(1))
        if (sizes(2) > 1) near(4) = c_loc(column(2))
        if (sizes(3) > 0) near(5) = c_loc(values(1))
        if (sizes(3) > 1) near(6) = c_loc(values(2))
        view%index = @X@
        view%rows = sizes(1) - 1
        view%cols = view%rows
        if (present(cols)) view%cols = cols
        view%row_start = near(1)
        view%column = near(3)
        view%values = near(5)
        first = 0
        last = 0
        if (sizes(1) > 0) first = row_start(1)
        if (sizes(1) > 0) last = row_start(sizes(1))
        view%base = int(max(-1_c_int64_t, min(first, 99999_c_int64_t)), c_int32_t) ! all but 0 and 1 are refused
        if (last - first > min(sizes(2), sizes(3))) return ! of no type: every call refuses the view
        apart = [distance(near(1), near(2), @W@), distance(near(3), near(4), @W@), distance(near(5), near(6), @B@)]
        if (all(apart == 0 .or. apart == 1)) view%type = @E@
    end function csr_of_@I@_@K@

    !end each
