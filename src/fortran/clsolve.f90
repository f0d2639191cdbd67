! clsolve.f90: libclsolve for Fortran 2018. src/fortran/generate.py makes it of the public headers.
!
! The headers are the manual of the calls: shapes, units, errors. docs/fortran.md says how Fortran meets them.
module clsolve
    use, intrinsic :: iso_c_binding
    use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
    implicit none
    private

    ! version.h
    integer(c_int), parameter, public :: CLSOLVE_VERSION_MAJOR = 0
    integer(c_int), parameter, public :: CLSOLVE_VERSION_MINOR = 1
    integer(c_int), parameter, public :: CLSOLVE_VERSION_PATCH = 0

    ! status.h
    integer(c_int), parameter, public :: CLSOLVE_OK = 0
    integer(c_int), parameter, public :: CLSOLVE_SINGULAR = 1
    integer(c_int), parameter, public :: CLSOLVE_NOT_CONVERGED = 2
    integer(c_int), parameter, public :: CLSOLVE_OVERFLOW = 3
    integer(c_int), parameter, public :: CLSOLVE_NOT_POSITIVE_DEFINITE = 4
    integer(c_int), parameter, public :: CLSOLVE_ERROR_INVALID_ARGUMENT = -1
    integer(c_int), parameter, public :: CLSOLVE_ERROR_NONFINITE = -2
    integer(c_int), parameter, public :: CLSOLVE_ERROR_OUT_OF_MEMORY = -3
    integer(c_int), parameter, public :: CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY = -4
    integer(c_int), parameter, public :: CLSOLVE_ERROR_NO_DEVICE = -5
    integer(c_int), parameter, public :: CLSOLVE_ERROR_DEVICE = -6
    integer(c_int), parameter, public :: CLSOLVE_ERROR_BUILD = -7
    integer(c_int), parameter, public :: CLSOLVE_ERROR_UNSUPPORTED = -8
    integer(c_int), parameter, public :: CLSOLVE_ERROR_STATE = -9
    integer(c_int), parameter, public :: CLSOLVE_ERROR_FILE = -10
    integer(c_int), parameter, public :: CLSOLVE_ERROR_BUSY = -11
    integer(c_int), parameter, public :: CLSOLVE_ERROR_FORKED = -12

    ! matrix.h
    integer(c_int), parameter, public :: CLSOLVE_F32 = 1
    integer(c_int), parameter, public :: CLSOLVE_F64 = 2
    integer(c_int), parameter, public :: CLSOLVE_C32 = 3
    integer(c_int), parameter, public :: CLSOLVE_C64 = 4
    integer(c_int), parameter, public :: CLSOLVE_COLUMN_MAJOR = 1
    integer(c_int), parameter, public :: CLSOLVE_ROW_MAJOR = 2
    integer(c_int), parameter, public :: CLSOLVE_NO_TRANS = 0
    integer(c_int), parameter, public :: CLSOLVE_TRANS = 1
    integer(c_int), parameter, public :: CLSOLVE_CONJ_TRANS = 2
    integer(c_int), parameter, public :: CLSOLVE_LOWER = 0
    integer(c_int), parameter, public :: CLSOLVE_UPPER = 1
    integer(c_int), parameter, public :: CLSOLVE_NORM_ONE = 0
    integer(c_int), parameter, public :: CLSOLVE_NORM_INF = 1
    integer(c_int), parameter, public :: CLSOLVE_ON_HOST = 0
    integer(c_int), parameter, public :: CLSOLVE_ON_DEVICE = 1

    ! csr.h
    integer(c_int), parameter, public :: CLSOLVE_I32 = 1
    integer(c_int), parameter, public :: CLSOLVE_I64 = 2

    ! context.h
    integer(c_int), parameter, public :: CLSOLVE_DEVICE_CPU = 1
    integer(c_int), parameter, public :: CLSOLVE_DEVICE_GPU = 2
    integer(c_int), parameter, public :: CLSOLVE_DEVICE_OTHER = 3

    ! report.h
    integer(c_int), parameter, public :: CLSOLVE_SCALED_UNIFORMLY = 4
    integer(c_int), parameter, public :: CLSOLVE_REPORT_HISTORY = 32
    integer(c_int), parameter, public :: CLSOLVE_FALLBACK_NONE = 0
    integer(c_int), parameter, public :: CLSOLVE_FALLBACK_SINGULAR = 1
    integer(c_int), parameter, public :: CLSOLVE_FALLBACK_OVERFLOW = 2
    integer(c_int), parameter, public :: CLSOLVE_FALLBACK_NOT_CONVERGED = 3
    integer(c_int), parameter, public :: CLSOLVE_FALLBACK_CONDITION = 4
    integer(c_int), parameter, public :: CLSOLVE_FALLBACK_FACTORS = 5

    ! factorization.h
    integer(c_int), parameter, public :: CLSOLVE_WHERE_AUTO = 0
    integer(c_int), parameter, public :: CLSOLVE_WHERE_DEVICE = 1
    integer(c_int), parameter, public :: CLSOLVE_WHERE_HOST = 2
    integer(c_int), parameter, public :: CLSOLVE_PANEL_AUTO = 0
    integer(c_int), parameter, public :: CLSOLVE_PANEL_NATIVE = 1
    integer(c_int), parameter, public :: CLSOLVE_PANEL_HYBRID = 2
    integer(c_int), parameter, public :: CLSOLVE_SYMMETRY_HERMITIAN = 0
    integer(c_int), parameter, public :: CLSOLVE_SYMMETRY_TRANSPOSE = 1
    integer(c_int), parameter, public :: CLSOLVE_PRECISION_AUTO = 0
    integer(c_int), parameter, public :: CLSOLVE_PRECISION_MIXED = 1
    integer(c_int), parameter, public :: CLSOLVE_PRECISION_WORKING = 2
    integer(c_int), parameter, public :: CLSOLVE_PIVOTING_AUTO = 0
    integer(c_int), parameter, public :: CLSOLVE_PIVOTING_PARTIAL = 1
    integer(c_int), parameter, public :: CLSOLVE_PIVOTING_NONE = 2
    integer(c_int), parameter, public :: CLSOLVE_PIVOTING_TOURNAMENT = 3
    integer(c_int), parameter, public :: CLSOLVE_PIVOTING_RBT = 4

    ! lu_batch.h
    integer(c_int), parameter, public :: CLSOLVE_LU_BATCH_LARGEST = 4096

    ! cholesky_batch.h
    integer(c_int), parameter, public :: CLSOLVE_CHOLESKY_BATCH_LARGEST = 4096

    ! gauss_jordan.h
    integer(c_int), parameter, public :: CLSOLVE_GAUSS_JORDAN_AUTO = 0
    integer(c_int), parameter, public :: CLSOLVE_GAUSS_JORDAN_TWO_PASS = 1
    integer(c_int), parameter, public :: CLSOLVE_GAUSS_JORDAN_ONE_PASS = 2
    integer(c_int), parameter, public :: CLSOLVE_GAUSS_JORDAN_OPERATIONS = 3
    integer(c_int), parameter, public :: CLSOLVE_GAUSS_JORDAN_BLOCKED = 4

    ! gauss_jordan_batch.h
    integer(c_int), parameter, public :: CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST = 64

    ! band.h
    integer(c_int), parameter, public :: CLSOLVE_BAND_PLAIN = 0
    integer(c_int), parameter, public :: CLSOLVE_BAND_GBTRF = 1

    ! band_batch.h
    integer(c_int), parameter, public :: CLSOLVE_BAND_BATCH_DIAGONALS = 64

    ! block_gs.h
    integer(c_int), parameter, public :: CLSOLVE_BLOCK_GS_AUTO = 0
    integer(c_int), parameter, public :: CLSOLVE_BLOCK_GS_SWEEPS = 1
    integer(c_int), parameter, public :: CLSOLVE_BLOCK_GS_GAUSS_SEIDEL = 2
    integer(c_int), parameter, public :: CLSOLVE_BLOCK_GS_SOR = 3
    integer(c_int), parameter, public :: CLSOLVE_BLOCK_GS_MULTIGRID = 4
    integer(c_int), parameter, public :: CLSOLVE_BLOCK_GS_CG = 5
    integer(c_int), parameter, public :: CLSOLVE_BLOCK_GS_BICGSTAB = 6
    integer(c_int), parameter, public :: CLSOLVE_BLOCK_GS_FGMRES = 7
    integer(c_int), parameter, public :: CLSOLVE_BLOCK_GS_COCG = 8
    integer(c_int), parameter, public :: CLSOLVE_BLOCK_GS_PRECONDITIONER_AUTO = 0
    integer(c_int), parameter, public :: CLSOLVE_BLOCK_GS_PRECONDITIONER_ZEBRA = 1
    integer(c_int), parameter, public :: CLSOLVE_BLOCK_GS_PRECONDITIONER_MULTIGRID = 2
    integer(c_int), parameter, public :: CLSOLVE_BLOCK_GS_PRECONDITIONER_NONE = 3
    integer(c_int), parameter, public :: CLSOLVE_BLOCK_GS_CYCLE_V = 0
    integer(c_int), parameter, public :: CLSOLVE_BLOCK_GS_CYCLE_W = 1
    integer(c_int), parameter, public :: CLSOLVE_BLOCK_GS_CYCLE_F = 2

    ! grid_slab.h
    integer(c_int), parameter, public :: CLSOLVE_GRID_SLAB_F = 0
    integer(c_int), parameter, public :: CLSOLVE_GRID_SLAB_Y = 1
    integer(c_int), parameter, public :: CLSOLVE_GRID_SLAB_R = 2

    ! sparse.h
    integer(c_int), parameter, public :: CLSOLVE_SPARSE_GENERAL = 0
    integer(c_int), parameter, public :: CLSOLVE_SPARSE_POSITIVE_DEFINITE = 1
    integer(c_int), parameter, public :: CLSOLVE_SPARSE_SYMMETRIC = 2
    integer(c_int), parameter, public :: CLSOLVE_SPARSE_HERMITIAN = 3
    integer(c_int), parameter, public :: CLSOLVE_SPARSE_WHOLE = 0
    integer(c_int), parameter, public :: CLSOLVE_SPARSE_LOWER = 1
    integer(c_int), parameter, public :: CLSOLVE_SPARSE_UPPER = 2
    integer(c_int), parameter, public :: CLSOLVE_ORDER_AUTO = 0
    integer(c_int), parameter, public :: CLSOLVE_ORDER_AMD = 1
    integer(c_int), parameter, public :: CLSOLVE_ORDER_METIS = 2
    integer(c_int), parameter, public :: CLSOLVE_ORDER_NATURAL = 3
    integer(c_int), parameter, public :: CLSOLVE_ORDER_NESTED = 4
    integer(c_int), parameter, public :: CLSOLVE_ORDER_GIVEN = 5
    integer(c_int), parameter, public :: CLSOLVE_SPARSE_AUTO = 0
    integer(c_int), parameter, public :: CLSOLVE_SPARSE_MULTIFRONTAL = 1
    integer(c_int), parameter, public :: CLSOLVE_SPARSE_KLU = 2
    integer(c_int), parameter, public :: CLSOLVE_CHOICE_AUTO = 0
    integer(c_int), parameter, public :: CLSOLVE_CHOICE_ON = 1
    integer(c_int), parameter, public :: CLSOLVE_CHOICE_OFF = 2

    ! solve.h
    integer(c_int), parameter, public :: CLSOLVE_METHOD_AUTO = 0
    integer(c_int), parameter, public :: CLSOLVE_METHOD_LU = 1
    integer(c_int), parameter, public :: CLSOLVE_METHOD_GAUSS_JORDAN = 2
    integer(c_int), parameter, public :: CLSOLVE_METHOD_BAND = 3
    integer(c_int), parameter, public :: CLSOLVE_METHOD_BLOCK_GS = 4
    integer(c_int), parameter, public :: CLSOLVE_METHOD_CHOLESKY = 5
    integer(c_int), parameter, public :: CLSOLVE_METHOD_SPARSE_LU = 6
    integer(c_int), parameter, public :: CLSOLVE_METHOD_SPARSE_CHOLESKY = 7
    integer(c_int), parameter, public :: CLSOLVE_METHOD_LDL = 8
    integer(c_int), parameter, public :: CLSOLVE_METHOD_SPARSE_LDL = 9
    integer(c_int), parameter, public :: CLSOLVE_SOLVER_ATTEMPTS = 4

    ! tune.h
    integer(c_int), parameter, public :: CLSOLVE_TUNE_BEST = 5
    integer(c_int), parameter, public :: CLSOLVE_TUNE_UPDATES = 16

    type, bind(C), public :: clsolve_matrix ! matrix.h
        integer(c_int) :: type = 0
        integer(c_int) :: layout = 0
        integer(c_int64_t) :: rows = 0
        integer(c_int64_t) :: cols = 0
        integer(c_int64_t) :: ld = 0
        type(c_ptr) :: data = c_null_ptr
        integer(c_int) :: place = 0
        integer(c_int64_t) :: offset = 0
    end type clsolve_matrix

    type, bind(C), public :: clsolve_csr ! csr.h
        integer(c_int) :: type = 0
        integer(c_int) :: index = 0
        integer(c_int32_t) :: base = 0
        integer(c_int64_t) :: rows = 0
        integer(c_int64_t) :: cols = 0
        type(c_ptr) :: row_start = c_null_ptr
        type(c_ptr) :: column = c_null_ptr
        type(c_ptr) :: values = c_null_ptr
    end type clsolve_csr

    type, bind(C), public :: clsolve_batch ! batch.h
        integer(c_int) :: type = 0
        integer(c_int) :: layout = 0
        integer(c_int64_t) :: count = 0
        integer(c_int64_t) :: rows = 0
        integer(c_int64_t) :: cols = 0
        integer(c_int64_t) :: ld = 0
        integer(c_int64_t) :: stride = 0
        type(c_ptr) :: offsets = c_null_ptr
        type(c_ptr) :: data = c_null_ptr
        integer(c_int) :: place = 0
        integer(c_int64_t) :: offset = 0
    end type clsolve_batch

    type, bind(C), public :: clsolve_device_info ! context.h
        character(kind=c_char) :: selector(32) = c_null_char
        character(kind=c_char) :: backend(16) = c_null_char
        character(kind=c_char) :: name(128) = c_null_char
        character(kind=c_char) :: vendor(128) = c_null_char
        character(kind=c_char) :: platform(128) = c_null_char
        character(kind=c_char) :: version(128) = c_null_char
        character(kind=c_char) :: driver(128) = c_null_char
        integer(c_int) :: type = 0
        integer(c_int32_t) :: compute_units = 0
        integer(c_int32_t) :: clock_mhz = 0
        integer(c_int64_t) :: max_work_group = 0
        integer(c_int64_t) :: local_memory = 0
        integer(c_int64_t) :: global_memory = 0
        integer(c_int64_t) :: max_allocation = 0
        integer(c_int) :: fp64 = 0
        integer(c_int) :: host_memory = 0
        integer(c_int64_t) :: reserved(8) = 0
    end type clsolve_device_info

    type, bind(C), public :: clsolve_context_options ! context.h
        type(c_ptr) :: selector = c_null_ptr
        type(c_ptr) :: cache_folder = c_null_ptr
        type(c_ptr) :: message = c_null_ptr
        integer(c_size_t) :: message_size = 0
        integer(c_int64_t) :: reserved(8) = 0
    end type clsolve_context_options

    type, bind(C), public :: clsolve_seconds ! report.h
        real(c_double) :: build = 0
        real(c_double) :: upload = 0
        real(c_double) :: factor = 0
        real(c_double) :: solve = 0
        real(c_double) :: download = 0
        real(c_double) :: total = 0
    end type clsolve_seconds

    type, bind(C), public :: clsolve_inertia ! report.h
        integer(c_int64_t) :: positive = 0
        integer(c_int64_t) :: negative = 0
        integer(c_int64_t) :: zero = 0
    end type clsolve_inertia

    type, bind(C), public :: clsolve_report_direct ! report.h
        real(c_double) :: rcond = 0
        integer(c_int32_t) :: rcond_is_bound = 0
        real(c_double) :: growth = 0
        real(c_double) :: log_abs_det = 0
        integer(c_int32_t) :: det_sign = 0
        type(c_ptr) :: det_precision = c_null_ptr
        integer(c_int32_t) :: equilibrated = 0
        type(c_ptr) :: fallback = c_null_ptr
        type(c_ptr) :: pivoting = c_null_ptr
        type(c_ptr) :: pivoting_used = c_null_ptr
        type(c_ptr) :: pivoting_fallback = c_null_ptr
        integer(c_int64_t) :: seed = 0
        integer(c_int) :: fallback_reason = 0
        real(c_double) :: det_phase = 0
        integer(c_int64_t) :: devices = 0
        type(clsolve_inertia) :: inertia
        integer(c_int64_t) :: reserved(2) = 0
    end type clsolve_report_direct

    type, bind(C), public :: clsolve_report_refinement ! report.h
        real(c_double) :: backward_error = 0
        integer(c_int64_t) :: gmres_iterations = 0
        integer(c_int64_t) :: history_length = 0
        real(c_double) :: history(32) = 0
        integer(c_int64_t) :: reserved(8) = 0
    end type clsolve_report_refinement

    type, bind(C), public :: clsolve_report_band ! report.h
        integer(c_int64_t) :: lower = 0
        integer(c_int64_t) :: upper = 0
        integer(c_int64_t) :: block = 0
        type(c_ptr) :: panel = c_null_ptr
        integer(c_int64_t) :: reserved(8) = 0
    end type clsolve_report_band

    type, bind(C), public :: clsolve_report_block_gs ! report.h
        type(c_ptr) :: method = c_null_ptr
        type(c_ptr) :: reason = c_null_ptr
        real(c_double) :: relative_residual = 0
        type(c_ptr) :: history = c_null_ptr
        integer(c_int64_t) :: history_count = 0
        real(c_double) :: omega = 0
        integer(c_int32_t) :: symmetric = 0
        integer(c_int32_t) :: singular = 0
        integer(c_int32_t) :: pivoted = 0
        integer(c_int64_t) :: levels = 0
        integer(c_int64_t) :: failed = 0
        integer(c_int64_t) :: first_failed = 0
        integer(c_int64_t) :: reserved(8) = 0
    end type clsolve_report_block_gs

    type, bind(C), public :: clsolve_report ! report.h
        integer(c_int) :: status = 0
        type(c_ptr) :: method = c_null_ptr
        integer(c_int64_t) :: n = 0
        integer(c_int64_t) :: nrhs = 0
        integer(c_int64_t) :: members = 0
        integer(c_int64_t) :: info = 0
        integer(c_int64_t) :: member = 0
        integer(c_int64_t) :: iterations = 0
        type(clsolve_seconds) :: seconds
        integer(c_int64_t) :: bytes_up = 0
        integer(c_int64_t) :: bytes_down = 0
        integer(c_int64_t) :: transfers_up = 0
        integer(c_int64_t) :: transfers_down = 0
        integer(c_int64_t) :: device_bytes = 0
        integer(c_int64_t) :: host_bytes = 0
        integer(c_int64_t) :: slab_columns = 0
        integer(c_int64_t) :: slabs = 0
        type(c_ptr) :: precision = c_null_ptr
        type(clsolve_report_direct) :: direct
        type(clsolve_report_refinement) :: refinement
        type(clsolve_report_band) :: band
        type(clsolve_report_block_gs) :: block_gs
        type(c_ptr) :: where = c_null_ptr
        type(c_ptr) :: where_reason = c_null_ptr
        real(c_double) :: expected_host = 0
        real(c_double) :: expected_device = 0
        type(c_ptr) :: precision_reason = c_null_ptr
        integer(c_int64_t) :: reserved(3) = 0
    end type clsolve_report

    type, bind(C), public :: clsolve_events ! enqueue.h
        type(c_ptr) :: backend = c_null_ptr
        integer(c_int64_t) :: count = 0
        type(c_ptr) :: wait = c_null_ptr
        type(c_ptr) :: done = c_null_ptr
    end type clsolve_events

    type, bind(C), public :: clsolve_lu_options ! lu.h
        integer(c_int) :: panel = 0
        integer(c_int32_t) :: block = 0
        integer(c_int64_t) :: slab_bytes = 0
        type(c_funptr) :: progress = c_null_funptr
        type(c_ptr) :: progress_user = c_null_ptr
        integer(c_int) :: precision = 0
        integer(c_int32_t) :: rcond = 0
        integer(c_int32_t) :: equilibrate = 0
        integer(c_int32_t) :: refine = 0
        integer(c_int64_t) :: memory_limit = 0
        integer(c_int) :: pivoting = 0
        integer(c_int64_t) :: seed = 0
        integer(c_int) :: where = 0
        integer(c_int32_t) :: nonfinite = 0
        integer(c_int64_t) :: reserved(7) = 0
    end type clsolve_lu_options

    type, bind(C), public :: clsolve_lu_batch_options ! lu_batch.h
        integer(c_int) :: where = 0
        integer(c_int32_t) :: condition = 0
        integer(c_int64_t) :: reserved(7) = 0
    end type clsolve_lu_batch_options

    type, bind(C), public :: clsolve_cholesky_options ! cholesky.h
        integer(c_int) :: panel = 0
        integer(c_int32_t) :: block = 0
        integer(c_int64_t) :: slab_bytes = 0
        type(c_funptr) :: progress = c_null_funptr
        type(c_ptr) :: progress_user = c_null_ptr
        integer(c_int) :: precision = 0
        integer(c_int32_t) :: rcond = 0
        integer(c_int32_t) :: equilibrate = 0
        integer(c_int32_t) :: refine = 0
        integer(c_int64_t) :: memory_limit = 0
        integer(c_int) :: where = 0
        integer(c_int64_t) :: reserved(8) = 0
    end type clsolve_cholesky_options

    type, bind(C), public :: clsolve_cholesky_batch_options ! cholesky_batch.h
        integer(c_int) :: where = 0
        integer(c_int64_t) :: reserved(7) = 0
    end type clsolve_cholesky_batch_options

    type, bind(C), public :: clsolve_ldl_options ! ldl.h
        integer(c_int) :: panel = 0
        integer(c_int32_t) :: block = 0
        integer(c_int64_t) :: slab_bytes = 0
        type(c_funptr) :: progress = c_null_funptr
        type(c_ptr) :: progress_user = c_null_ptr
        integer(c_int) :: precision = 0
        integer(c_int32_t) :: rcond = 0
        integer(c_int32_t) :: equilibrate = 0
        integer(c_int32_t) :: refine = 0
        integer(c_int64_t) :: memory_limit = 0
        integer(c_int) :: where = 0
        integer(c_int) :: symmetry = 0
        integer(c_int64_t) :: reserved(8) = 0
    end type clsolve_ldl_options

    type, bind(C), public :: clsolve_gauss_jordan_options ! gauss_jordan.h
        integer(c_int) :: variant = 0
        integer(c_int) :: pivoting = 0
        integer(c_int32_t) :: block = 0
        integer(c_int64_t) :: slab_bytes = 0
        type(c_funptr) :: progress = c_null_funptr
        type(c_ptr) :: progress_user = c_null_ptr
        integer(c_int) :: where = 0
        integer(c_int64_t) :: reserved(7) = 0
    end type clsolve_gauss_jordan_options

    type, bind(C), public :: clsolve_gauss_jordan_batch_options ! gauss_jordan_batch.h
        integer(c_int) :: where = 0
        integer(c_int64_t) :: reserved(7) = 0
    end type clsolve_gauss_jordan_batch_options

    type, bind(C), public :: clsolve_band_options ! band.h
        integer(c_int) :: form = 0
        integer(c_int) :: panel = 0
        integer(c_int32_t) :: block = 0
        integer(c_int64_t) :: memory_limit = 0
        integer(c_int64_t) :: slab_bytes = 0
        type(c_funptr) :: progress = c_null_funptr
        type(c_ptr) :: progress_user = c_null_ptr
        integer(c_int) :: precision = 0
        integer(c_int32_t) :: rcond = 0
        integer(c_int32_t) :: equilibrate = 0
        integer(c_int32_t) :: refine = 0
        integer(c_int) :: where = 0
        integer(c_int32_t) :: nonfinite = 0
        integer(c_int64_t) :: reserved(7) = 0
    end type clsolve_band_options

    type, bind(C), public :: clsolve_band_batch_options ! band_batch.h
        integer(c_int64_t) :: reserved(8) = 0
    end type clsolve_band_batch_options

    type, bind(C), public :: clsolve_band_cholesky_options ! band_cholesky.h
        integer(c_int32_t) :: rcond = 0
        integer(c_int32_t) :: refine = 0
        type(c_funptr) :: progress = c_null_funptr
        type(c_ptr) :: progress_user = c_null_ptr
        integer(c_int) :: precision = 0
        integer(c_int32_t) :: equilibrate = 0
        integer(c_int) :: where = 0
        integer(c_int32_t) :: block = 0
        integer(c_int64_t) :: slab_bytes = 0
        integer(c_int64_t) :: memory_limit = 0
        integer(c_int64_t) :: reserved(4) = 0
    end type clsolve_band_cholesky_options

    type, bind(C), public :: clsolve_tridiagonal_batch_options ! tridiagonal_batch.h
        integer(c_int) :: pivoting = 0
        integer(c_int) :: where = 0
        integer(c_int64_t) :: reserved(8) = 0
    end type clsolve_tridiagonal_batch_options

    type, bind(C), public :: clsolve_grid ! block_gs.h
        integer(c_int) :: type = 0
        integer(c_int64_t) :: line_stride = 0
        integer(c_int64_t) :: stride = 0
        integer(c_int64_t) :: rhs_stride = 0
        type(c_ptr) :: data = c_null_ptr
        integer(c_int) :: place = 0
        integer(c_int64_t) :: offset = 0
    end type clsolve_grid

    type, bind(C), public :: clsolve_block_gs_options ! block_gs.h
        integer(c_int) :: method = 0
        integer(c_int) :: preconditioner = 0
        integer(c_int) :: cycle = 0
        integer(c_int) :: pivoting = 0
        integer(c_int32_t) :: smooth_before = 0
        integer(c_int32_t) :: smooth_after = 0
        integer(c_int64_t) :: sweeps = 0
        real(c_double) :: tolerance = 0
        integer(c_int64_t) :: max_iterations = 0
        real(c_double) :: omega = 0
        integer(c_int32_t) :: sequential = 0
        integer(c_int32_t) :: jacobi = 0
        integer(c_int32_t) :: single_precision = 0
        integer(c_int32_t) :: zero_guess = 0
        type(c_funptr) :: progress = c_null_funptr
        type(c_ptr) :: progress_user = c_null_ptr
        integer(c_int64_t) :: reserved(8) = 0
    end type clsolve_block_gs_options

    type, bind(C), public :: clsolve_sparse_options ! sparse.h
        integer(c_int) :: form = 0
        integer(c_int) :: part = 0
        integer(c_int) :: order = 0
        type(c_ptr) :: permutation = c_null_ptr
        integer(c_int) :: engine = 0
        integer(c_int) :: matching = 0
        integer(c_int) :: amalgamation = 0
        real(c_double) :: threshold = 0
        integer(c_int32_t) :: threads = 0
        integer(c_int32_t) :: rcond = 0
        integer(c_int64_t) :: memory_limit = 0
        integer(c_int) :: where = 0
        type(c_funptr) :: progress = c_null_funptr
        type(c_ptr) :: progress_user = c_null_ptr
        integer(c_int64_t) :: device_memory_limit = 0
        integer(c_int64_t) :: reserved(7) = 0
    end type clsolve_sparse_options

    type, bind(C), public :: clsolve_sparse_analysis ! sparse.h
        integer(c_int64_t) :: n = 0
        integer(c_int64_t) :: entries = 0
        integer(c_int64_t) :: structural_rank = 0
        type(c_ptr) :: engine = c_null_ptr
        type(c_ptr) :: order = c_null_ptr
        integer(c_int32_t) :: matched = 0
        integer(c_int64_t) :: blocks = 0
        integer(c_int64_t) :: largest_block = 0
        real(c_double) :: factor_entries = 0
        real(c_double) :: operations = 0
        integer(c_int64_t) :: fronts = 0
        integer(c_int64_t) :: largest_front = 0
        integer(c_int64_t) :: levels = 0
        real(c_double) :: host_bytes = 0
        integer(c_int64_t) :: delayed = 0
        real(c_double) :: seconds = 0
        real(c_double) :: expected_factor = 0
        real(c_double) :: expected_solve = 0
        real(c_double) :: device_bytes = 0
        integer(c_int64_t) :: replaced = 0
        real(c_double) :: streamed_bytes = 0
        integer(c_int64_t) :: reserved(5) = 0
    end type clsolve_sparse_analysis

    type, bind(C), public :: clsolve_solver_options ! solve.h
        integer(c_int) :: method = 0
        type(c_funptr) :: progress = c_null_funptr
        type(c_ptr) :: progress_user = c_null_ptr
        integer(c_int64_t) :: nrhs = 0
        integer(c_int) :: panel = 0
        integer(c_int32_t) :: block = 0
        integer(c_int64_t) :: memory_limit = 0
        integer(c_int64_t) :: slab_bytes = 0
        integer(c_int) :: precision = 0
        integer(c_int32_t) :: equilibrate = 0
        integer(c_int32_t) :: refine = 0
        integer(c_int32_t) :: rcond = 0
        integer(c_int) :: pivoting = 0
        integer(c_int64_t) :: seed = 0
        integer(c_int) :: variant = 0
        integer(c_int) :: iteration = 0
        real(c_double) :: tolerance = 0
        integer(c_int64_t) :: max_iterations = 0
        integer(c_int) :: where = 0
        integer(c_int) :: order = 0
        type(c_ptr) :: permutation = c_null_ptr
        integer(c_int64_t) :: reserved(6) = 0
    end type clsolve_solver_options

    type, bind(C), public :: clsolve_solver_attempt ! solve.h
        integer(c_int) :: method = 0
        integer(c_int) :: status = 0
        character(kind=c_char) :: text(512) = c_null_char
    end type clsolve_solver_attempt

    type, bind(C), public :: clsolve_solve_report ! solve.h
        type(clsolve_report) :: report
        integer(c_int) :: method = 0
        type(c_ptr) :: name = c_null_ptr
        character(kind=c_char) :: reason(256) = c_null_char
        integer(c_int64_t) :: entries = 0
        integer(c_int64_t) :: lower = 0
        integer(c_int64_t) :: upper = 0
        integer(c_int64_t) :: lower_before = 0
        integer(c_int64_t) :: upper_before = 0
        integer(c_int32_t) :: reordered = 0
        integer(c_int32_t) :: symmetric_pattern = 0
        integer(c_int32_t) :: symmetric = 0
        integer(c_int64_t) :: lines = 0
        integer(c_int64_t) :: line_length = 0
        real(c_double) :: backward_error = 0
        integer(c_int64_t) :: corrections = 0
        integer(c_int32_t) :: singular = 0
        character(kind=c_char) :: iteration(64) = c_null_char
        character(kind=c_char) :: iteration_reason(128) = c_null_char
        type(c_ptr) :: history = c_null_ptr
        integer(c_int64_t) :: history_count = 0
        real(c_double) :: seconds_analysis = 0
        real(c_double) :: seconds_factor = 0
        real(c_double) :: seconds_solve = 0
        integer(c_int64_t) :: attempts_count = 0
        type(clsolve_solver_attempt) :: attempts(4)
        integer(c_int64_t) :: reserved(8) = 0
    end type clsolve_solve_report

    type, bind(C), public :: clsolve_sparse_batch_options ! sparse_batch.h
        integer(c_int) :: where = 0
        integer(c_int64_t) :: memory_limit = 0
        integer(c_int64_t) :: reserved(6) = 0
    end type clsolve_sparse_batch_options

    type, bind(C), public :: clsolve_sparse_batch_analysis ! sparse_batch.h
        integer(c_int64_t) :: n = 0
        integer(c_int64_t) :: entries = 0
        integer(c_int64_t) :: structural_rank = 0
        integer(c_int64_t) :: factor_entries = 0
        integer(c_int64_t) :: products = 0
        integer(c_int64_t) :: levels = 0
        integer(c_int64_t) :: portion = 0
        integer(c_int64_t) :: again = 0
        real(c_double) :: seconds = 0
        integer(c_int64_t) :: reserved(6) = 0
    end type clsolve_sparse_batch_analysis

    type, bind(C), public :: clsolve_tune_options ! tune.h
        real(c_double) :: seconds = 0
        integer(c_int32_t) :: dry = 0
        integer(c_int32_t) :: resume = 0
        type(c_funptr) :: progress = c_null_funptr
        type(c_ptr) :: progress_user = c_null_ptr
        real(c_double) :: limit = 0
        integer(c_int64_t) :: reserved(7) = 0
    end type clsolve_tune_options

    type, bind(C), public :: clsolve_tune_candidate ! tune.h
        character(kind=c_char) :: text(128) = c_null_char
        real(c_double) :: gflops = 0
    end type clsolve_tune_candidate

    type, bind(C), public :: clsolve_tune_update ! tune.h
        integer(c_int) :: op_a = 0
        integer(c_int) :: op_b = 0
        integer(c_int64_t) :: m = 0
        integer(c_int64_t) :: n = 0
        integer(c_int64_t) :: k = 0
        real(c_double) :: own = 0
        real(c_double) :: clblast = 0
        integer(c_int32_t) :: used = 0
    end type clsolve_tune_update

    type, bind(C), public :: clsolve_tune_report ! tune.h
        integer(c_int) :: type = 0
        integer(c_int64_t) :: tried = 0
        integer(c_int64_t) :: timed = 0
        integer(c_int64_t) :: wrong = 0
        integer(c_int64_t) :: refused = 0
        real(c_double) :: search_seconds = 0
        real(c_double) :: clblast_seconds = 0
        real(c_double) :: seconds = 0
        integer(c_int32_t) :: best_count = 0
        type(clsolve_tune_candidate) :: best(5)
        integer(c_int32_t) :: update_count = 0
        type(clsolve_tune_update) :: updates(16)
        integer(c_int32_t) :: updates_skipped = 0
        integer(c_int32_t) :: stored = 0
        character(kind=c_char) :: file(512) = c_null_char
        integer(c_int64_t) :: resumed = 0
        integer(c_int64_t) :: reserved(7) = 0
    end type clsolve_tune_report

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

    type, extends(clsolve_handle), public :: clsolve_context
    contains
        procedure :: check_cache => context_check_cache_m
        procedure :: try_lock => context_try_lock_m
        procedure :: unlock => context_unlock_m
        procedure :: device => context_device_m
        procedure :: device_count => context_device_count_m
        procedure :: share_at => context_share_at_m
        procedure :: device_at => context_device_at_m
        procedure :: create => context_create
        procedure :: adopt => context_adopt
        procedure :: destroy => context_destroy_m
        final :: context_final
    end type clsolve_context

    type, extends(clsolve_handle), public :: clsolve_lu
    contains
        procedure, private :: lu_create_m
        procedure, private :: lu_create_i
        generic :: create => lu_create_m, lu_create_i
        procedure :: factor => lu_factor_m
        procedure :: factor_csr => lu_factor_csr_m
        procedure :: solve => lu_solve_m
        procedure :: factors => lu_factors_m
        procedure :: import => lu_import_m
        procedure :: condition => lu_condition_m
        procedure :: inverse => lu_inverse_m
        procedure :: refine => lu_refine_m
        procedure :: factor_enqueue => lu_factor_enqueue_m
        procedure :: solve_enqueue => lu_solve_enqueue_m
        procedure :: status => lu_status_m
        procedure :: report => lu_report_m
        procedure :: destroy => lu_destroy_m
        final :: lu_final
    end type clsolve_lu

    type, extends(clsolve_handle), public :: clsolve_lu_batch
    contains
        procedure, private :: lu_batch_create_m
        procedure, private :: lu_batch_create_i
        generic :: create => lu_batch_create_m, lu_batch_create_i
        procedure, private :: lu_batch_create_ragged_m
        procedure, private :: lu_batch_create_ragged_i
        generic :: create_ragged => lu_batch_create_ragged_m, lu_batch_create_ragged_i
        procedure :: factor => lu_batch_factor_m
        procedure :: solve => lu_batch_solve_m
        procedure :: inverse => lu_batch_inverse_m
        procedure :: determinant => lu_batch_determinant_m
        procedure :: condition => lu_batch_condition_m
        procedure :: factors => lu_batch_factors_m
        procedure :: factor_enqueue => lu_batch_factor_enqueue_m
        procedure :: solve_enqueue => lu_batch_solve_enqueue_m
        procedure :: inverse_enqueue => lu_batch_inverse_enqueue_m
        procedure :: status => lu_batch_status_m
        procedure :: report => lu_batch_report_m
        procedure :: destroy => lu_batch_destroy_m
        final :: lu_batch_final
    end type clsolve_lu_batch

    type, extends(clsolve_handle), public :: clsolve_cholesky
    contains
        procedure, private :: cholesky_create_m
        procedure, private :: cholesky_create_i
        generic :: create => cholesky_create_m, cholesky_create_i
        procedure :: factor => cholesky_factor_m
        procedure :: solve => cholesky_solve_m
        procedure :: factors => cholesky_factors_m
        procedure :: import => cholesky_import_m
        procedure :: condition => cholesky_condition_m
        procedure :: inverse => cholesky_inverse_m
        procedure :: factor_enqueue => cholesky_factor_enqueue_m
        procedure :: solve_enqueue => cholesky_solve_enqueue_m
        procedure :: status => cholesky_status_m
        procedure :: report => cholesky_report_m
        procedure :: destroy => cholesky_destroy_m
        final :: cholesky_final
    end type clsolve_cholesky

    type, extends(clsolve_handle), public :: clsolve_cholesky_batch
    contains
        procedure, private :: cholesky_batch_create_m
        procedure, private :: cholesky_batch_create_i
        generic :: create => cholesky_batch_create_m, cholesky_batch_create_i
        procedure, private :: cholesky_batch_create_ragged_m
        procedure, private :: cholesky_batch_create_ragged_i
        generic :: create_ragged => cholesky_batch_create_ragged_m, cholesky_batch_create_ragged_i
        procedure :: factor => cholesky_batch_factor_m
        procedure :: solve => cholesky_batch_solve_m
        procedure :: factors => cholesky_batch_factors_m
        procedure :: inverse => cholesky_batch_inverse_m
        procedure :: factor_enqueue => cholesky_batch_factor_enqueue_m
        procedure :: solve_enqueue => cholesky_batch_solve_enqueue_m
        procedure :: inverse_enqueue => cholesky_batch_inverse_enqueue_m
        procedure :: status => cholesky_batch_status_m
        procedure :: report => cholesky_batch_report_m
        procedure :: destroy => cholesky_batch_destroy_m
        final :: cholesky_batch_final
    end type clsolve_cholesky_batch

    type, extends(clsolve_handle), public :: clsolve_ldl
    contains
        procedure, private :: ldl_create_m
        procedure, private :: ldl_create_i
        generic :: create => ldl_create_m, ldl_create_i
        procedure :: factor => ldl_factor_m
        procedure :: solve => ldl_solve_m
        procedure :: inertia => ldl_inertia_m
        procedure :: factors => ldl_factors_m
        procedure :: import => ldl_import_m
        procedure :: condition => ldl_condition_m
        procedure :: inverse => ldl_inverse_m
        procedure :: factor_enqueue => ldl_factor_enqueue_m
        procedure :: solve_enqueue => ldl_solve_enqueue_m
        procedure :: status => ldl_status_m
        procedure :: report => ldl_report_m
        procedure :: destroy => ldl_destroy_m
        final :: ldl_final
    end type clsolve_ldl

    type, extends(clsolve_handle), public :: clsolve_gauss_jordan
    contains
        procedure, private :: gauss_jordan_create_m
        procedure, private :: gauss_jordan_create_i
        generic :: create => gauss_jordan_create_m, gauss_jordan_create_i
        procedure :: solve => gauss_jordan_solve_m
        procedure :: invert => gauss_jordan_invert_m
        procedure :: solve_enqueue => gauss_jordan_solve_enqueue_m
        procedure :: invert_enqueue => gauss_jordan_invert_enqueue_m
        procedure :: status => gauss_jordan_status_m
        procedure :: report => gauss_jordan_report_m
        procedure :: destroy => gauss_jordan_destroy_m
        final :: gauss_jordan_final
    end type clsolve_gauss_jordan

    type, extends(clsolve_handle), public :: clsolve_gauss_jordan_batch
    contains
        procedure, private :: gauss_jordan_batch_create_m
        procedure, private :: gauss_jordan_batch_create_i
        generic :: create => gauss_jordan_batch_create_m, gauss_jordan_batch_create_i
        procedure :: invert => gauss_jordan_batch_invert_m
        procedure :: solve => gauss_jordan_batch_solve_m
        procedure :: invert_enqueue => gauss_jordan_batch_invert_enqueue_m
        procedure :: solve_enqueue => gauss_jordan_batch_solve_enqueue_m
        procedure :: status => gauss_jordan_batch_status_m
        procedure :: report => gauss_jordan_batch_report_m
        procedure :: destroy => gauss_jordan_batch_destroy_m
        final :: gauss_jordan_batch_final
    end type clsolve_gauss_jordan_batch

    type, extends(clsolve_handle), public :: clsolve_band
    contains
        procedure, private :: band_create_m
        procedure, private :: band_create_i
        generic :: create => band_create_m, band_create_i
        procedure :: factor => band_factor_m
        procedure :: factor_csr => band_factor_csr_m
        procedure :: solve => band_solve_m
        procedure :: factors => band_factors_m
        procedure :: import => band_import_m
        procedure :: condition => band_condition_m
        procedure :: factor_enqueue => band_factor_enqueue_m
        procedure :: solve_enqueue => band_solve_enqueue_m
        procedure :: status => band_status_m
        procedure :: report => band_report_m
        procedure :: destroy => band_destroy_m
        final :: band_final
    end type clsolve_band

    type, extends(clsolve_handle), public :: clsolve_band_batch
    contains
        procedure, private :: band_batch_create_m
        procedure, private :: band_batch_create_i
        generic :: create => band_batch_create_m, band_batch_create_i
        procedure :: factor => band_batch_factor_m
        procedure :: solve => band_batch_solve_m
        procedure :: factors => band_batch_factors_m
        procedure :: factor_enqueue => band_batch_factor_enqueue_m
        procedure :: solve_enqueue => band_batch_solve_enqueue_m
        procedure :: status => band_batch_status_m
        procedure :: report => band_batch_report_m
        procedure :: destroy => band_batch_destroy_m
        final :: band_batch_final
    end type clsolve_band_batch

    type, extends(clsolve_handle), public :: clsolve_band_cholesky
    contains
        procedure, private :: band_cholesky_create_m
        procedure, private :: band_cholesky_create_i
        generic :: create => band_cholesky_create_m, band_cholesky_create_i
        procedure :: factor => band_cholesky_factor_m
        procedure :: solve => band_cholesky_solve_m
        procedure :: factors => band_cholesky_factors_m
        procedure :: import => band_cholesky_import_m
        procedure :: condition => band_cholesky_condition_m
        procedure :: report => band_cholesky_report_m
        procedure :: destroy => band_cholesky_destroy_m
        final :: band_cholesky_final
    end type clsolve_band_cholesky

    type, extends(clsolve_handle), public :: clsolve_tridiagonal_batch
    contains
        procedure, private :: tridiagonal_batch_create_m
        procedure, private :: tridiagonal_batch_create_i
        generic :: create => tridiagonal_batch_create_m, tridiagonal_batch_create_i
        procedure :: factor => tridiagonal_batch_factor_m
        procedure :: solve => tridiagonal_batch_solve_m
        procedure :: factor_enqueue => tridiagonal_batch_factor_enqueue_m
        procedure :: solve_enqueue => tridiagonal_batch_solve_enqueue_m
        procedure :: status => tridiagonal_batch_status_m
        procedure :: report => tridiagonal_batch_report_m
        procedure :: destroy => tridiagonal_batch_destroy_m
        final :: tridiagonal_batch_final
    end type clsolve_tridiagonal_batch

    type, extends(clsolve_handle), public :: clsolve_block_gs
    contains
        procedure, private :: block_gs_create_m
        procedure, private :: block_gs_create_i
        generic :: create => block_gs_create_m, block_gs_create_i
        procedure :: factor => block_gs_factor_m
        procedure, private :: block_gs_solve_m
        procedure, private :: block_gs_solve_i
        generic :: solve => block_gs_solve_m, block_gs_solve_i
        procedure :: factor_enqueue => block_gs_factor_enqueue_m
        procedure, private :: block_gs_solve_enqueue_m
        procedure, private :: block_gs_solve_enqueue_i
        generic :: solve_enqueue => block_gs_solve_enqueue_m, block_gs_solve_enqueue_i
        procedure :: status => block_gs_status_m
        procedure :: report => block_gs_report_m
        procedure :: destroy => block_gs_destroy_m
        final :: block_gs_final
    end type clsolve_block_gs

    type, extends(clsolve_handle), public :: clsolve_grid_slab
    contains
        procedure, private :: grid_slab_create_m
        procedure, private :: grid_slab_create_i
        generic :: create => grid_slab_create_m, grid_slab_create_i
        procedure :: factor => grid_slab_factor_m
        procedure :: coarsen => grid_slab_coarsen_m
        procedure :: half_sweep => grid_slab_half_sweep_m
        procedure :: residual => grid_slab_residual_m
        procedure :: restrict => grid_slab_restrict_m
        procedure :: prolong => grid_slab_prolong_m
        procedure :: report => grid_slab_report_m
        procedure :: destroy => grid_slab_destroy_m
        final :: grid_slab_final
    end type clsolve_grid_slab

    type, extends(clsolve_handle), public :: clsolve_sparse
    contains
        procedure :: create_csr => sparse_create_csr_m
        procedure :: factor_csr => sparse_factor_csr_m
        procedure :: factor_values => sparse_factor_values_m
        procedure :: solve => sparse_solve_m
        procedure :: get_analysis => sparse_get_analysis_m
        procedure :: permutations => sparse_permutations_m
        procedure :: inertia => sparse_inertia_m
        procedure :: factor_values_enqueue => sparse_factor_values_enqueue_m
        procedure :: solve_enqueue => sparse_solve_enqueue_m
        procedure :: status => sparse_status_m
        procedure :: report => sparse_report_m
        procedure :: destroy => sparse_destroy_m
        final :: sparse_final
    end type clsolve_sparse

    type, extends(clsolve_handle), public :: clsolve_solver
    contains
        procedure, private :: solver_create_m
        procedure :: create_csr => solver_create_csr_m
        procedure, private :: solver_factor_m
        procedure :: factor_csr => solver_factor_csr_m
        procedure, private :: solver_solve_m
        procedure :: report => solver_report_m
        procedure :: sparse_analysis => solver_sparse_analysis_m
        procedure :: sparse_permutations => solver_sparse_permutations_m
        procedure, private :: solver_create_f32
        procedure, private :: solver_factor_f32
        procedure, private :: solver_solve_f32_1
        procedure, private :: solver_solve_f32_2
        generic :: create => solver_create_f32
        generic :: factor => solver_factor_f32
        generic :: solve => solver_solve_f32_1, solver_solve_f32_2
        procedure, private :: solver_create_f64
        procedure, private :: solver_factor_f64
        procedure, private :: solver_solve_f64_1
        procedure, private :: solver_solve_f64_2
        generic :: create => solver_create_f64
        generic :: factor => solver_factor_f64
        generic :: solve => solver_solve_f64_1, solver_solve_f64_2
        procedure, private :: solver_create_c32
        procedure, private :: solver_factor_c32
        procedure, private :: solver_solve_c32_1
        procedure, private :: solver_solve_c32_2
        generic :: create => solver_create_c32
        generic :: factor => solver_factor_c32
        generic :: solve => solver_solve_c32_1, solver_solve_c32_2
        procedure, private :: solver_create_c64
        procedure, private :: solver_factor_c64
        procedure, private :: solver_solve_c64_1
        procedure, private :: solver_solve_c64_2
        generic :: create => solver_create_c64
        generic :: factor => solver_factor_c64
        generic :: solve => solver_solve_c64_1, solver_solve_c64_2
        generic :: create => solver_create_m, create_csr
        generic :: factor => solver_factor_m, factor_csr
        generic :: solve => solver_solve_m
        procedure :: destroy => solver_destroy_m
        final :: solver_final
    end type clsolve_solver

    type, extends(clsolve_handle), public :: clsolve_sparse_batch
    contains
        procedure, private :: sparse_batch_create_csr_m
        procedure, private :: sparse_batch_create_csr_i
        generic :: create_csr => sparse_batch_create_csr_m, sparse_batch_create_csr_i
        procedure :: factor => sparse_batch_factor_m
        procedure :: solve => sparse_batch_solve_m
        procedure :: determinant => sparse_batch_determinant_m
        procedure :: get_analysis => sparse_batch_get_analysis_m
        procedure :: factor_enqueue => sparse_batch_factor_enqueue_m
        procedure :: solve_enqueue => sparse_batch_solve_enqueue_m
        procedure :: status => sparse_batch_status_m
        procedure :: report => sparse_batch_report_m
        procedure :: destroy => sparse_batch_destroy_m
        final :: sparse_batch_final
    end type clsolve_sparse_batch

    ! status.h
    interface
        function clsolve_status_text(status) bind(C) result(outcome)
            import
            integer(c_int), value :: status
            type(c_ptr) :: outcome
        end function clsolve_status_text
        function clsolve_status_name(status) bind(C) result(outcome)
            import
            integer(c_int), value :: status
            type(c_ptr) :: outcome
        end function clsolve_status_name
    end interface

    ! context.h
    interface
        function clsolve_devices(list, capacity, count) bind(C) result(outcome)
            import
            type(clsolve_device_info), intent(inout), optional :: list
            integer(c_int64_t), value :: capacity
            integer(c_int64_t), intent(inout), optional :: count
            integer(c_int) :: outcome
        end function clsolve_devices
        function clsolve_context_create(selector, context) bind(C) result(outcome)
            import
            character(kind=c_char), intent(in), optional :: selector(*)
            type(c_ptr), intent(inout), optional :: context
            integer(c_int) :: outcome
        end function clsolve_context_create
        function clsolve_context_create_with(options, context) bind(C) result(outcome)
            import
            type(clsolve_context_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: context
            integer(c_int) :: outcome
        end function clsolve_context_create_with
        function clsolve_context_create_many(options, count, selectors, context) bind(C) result(outcome)
            import
            type(clsolve_context_options), intent(in), optional :: options
            integer(c_int64_t), value :: count
            type(c_ptr), intent(in), optional :: selectors(*)
            type(c_ptr), intent(inout), optional :: context
            integer(c_int) :: outcome
        end function clsolve_context_create_many
        subroutine clsolve_context_destroy(context) bind(C)
            import
            type(c_ptr), value :: context
        end subroutine clsolve_context_destroy
        function clsolve_context_message(context) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            type(c_ptr) :: outcome
        end function clsolve_context_message
        function clsolve_context_self_test(context, type, text, size) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int), value :: type
            character(kind=c_char), intent(inout), optional :: text(*)
            integer(c_size_t), value :: size
            integer(c_int) :: outcome
        end function clsolve_context_self_test
        function clsolve_context_check_cache(context) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int) :: outcome
        end function clsolve_context_check_cache
        function clsolve_context_try_lock(context) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int) :: outcome
        end function clsolve_context_try_lock
        subroutine clsolve_context_unlock(context) bind(C)
            import
            type(c_ptr), value :: context
        end subroutine clsolve_context_unlock
        function clsolve_context_device(context) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            type(clsolve_device_info) :: outcome
        end function clsolve_context_device
        function clsolve_context_device_count(context) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t) :: outcome
        end function clsolve_context_device_count
        function clsolve_context_share_at(context, i) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: i
            real(c_double) :: outcome
        end function clsolve_context_share_at
        function clsolve_context_device_at(context, i) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: i
            type(clsolve_device_info) :: outcome
        end function clsolve_context_device_at
        function clsolve_host_alloc(context, bytes, memory) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_size_t), value :: bytes
            type(c_ptr), intent(inout), optional :: memory
            integer(c_int) :: outcome
        end function clsolve_host_alloc
        function clsolve_host_free(context, memory) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            type(c_ptr), value :: memory
            integer(c_int) :: outcome
        end function clsolve_host_free
    end interface

    ! lu.h
    interface
        function clsolve_lu_create(context, n, type, options, lu) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: n
            integer(c_int), value :: type
            type(clsolve_lu_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: lu
            integer(c_int) :: outcome
        end function clsolve_lu_create
        function clsolve_lu_factor(lu, A) bind(C) result(outcome)
            import
            type(c_ptr), value :: lu
            type(clsolve_matrix), intent(in), optional :: A
            integer(c_int) :: outcome
        end function clsolve_lu_factor
        function clsolve_lu_factor_csr(lu, A, rows, columns) bind(C) result(outcome)
            import
            type(c_ptr), value :: lu
            type(clsolve_csr), intent(in), optional :: A
            integer(c_int64_t), intent(in), optional :: rows(*)
            integer(c_int64_t), intent(in), optional :: columns(*)
            integer(c_int) :: outcome
        end function clsolve_lu_factor_csr
        function clsolve_lu_solve(lu, op, B) bind(C) result(outcome)
            import
            type(c_ptr), value :: lu
            integer(c_int), value :: op
            type(clsolve_matrix), intent(in), optional :: B
            integer(c_int) :: outcome
        end function clsolve_lu_solve
        function clsolve_lu_factors(handle, LU, ipiv) bind(C) result(outcome)
            import
            type(c_ptr), value :: handle
            type(clsolve_matrix), intent(in), optional :: LU
            integer(c_int64_t), intent(inout), optional :: ipiv(*)
            integer(c_int) :: outcome
        end function clsolve_lu_factors
        function clsolve_lu_import(handle, LU, ipiv) bind(C) result(outcome)
            import
            type(c_ptr), value :: handle
            type(clsolve_matrix), intent(in), optional :: LU
            integer(c_int64_t), intent(in), optional :: ipiv(*)
            integer(c_int) :: outcome
        end function clsolve_lu_import
        function clsolve_lu_condition(lu, norm, norm_A, rcond) bind(C) result(outcome)
            import
            type(c_ptr), value :: lu
            integer(c_int), value :: norm
            real(c_double), value :: norm_A
            real(c_double), intent(inout), optional :: rcond
            integer(c_int) :: outcome
        end function clsolve_lu_condition
        function clsolve_lu_inverse(lu, X) bind(C) result(outcome)
            import
            type(c_ptr), value :: lu
            type(clsolve_matrix), intent(in), optional :: X
            integer(c_int) :: outcome
        end function clsolve_lu_inverse
        function clsolve_lu_refine(lu, op, A, B, X, ferr, berr) bind(C) result(outcome)
            import
            type(c_ptr), value :: lu
            integer(c_int), value :: op
            type(clsolve_matrix), intent(in), optional :: A
            type(clsolve_matrix), intent(in), optional :: B
            type(clsolve_matrix), intent(in), optional :: X
            real(c_double), intent(inout), optional :: ferr(*)
            real(c_double), intent(inout), optional :: berr(*)
            integer(c_int) :: outcome
        end function clsolve_lu_refine
        function clsolve_lu_factor_enqueue(lu, A, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: lu
            type(clsolve_matrix), intent(in), optional :: A
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_lu_factor_enqueue
        function clsolve_lu_solve_enqueue(lu, op, B, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: lu
            integer(c_int), value :: op
            type(clsolve_matrix), intent(in), optional :: B
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_lu_solve_enqueue
        function clsolve_lu_status(lu) bind(C) result(outcome)
            import
            type(c_ptr), value :: lu
            integer(c_int) :: outcome
        end function clsolve_lu_status
        function clsolve_lu_report(lu, report) bind(C) result(outcome)
            import
            type(c_ptr), value :: lu
            type(clsolve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_lu_report
        function clsolve_lu_factor_in_place(context, A, ipiv, options, report) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            type(clsolve_matrix), intent(in), optional :: A
            integer(c_int64_t), intent(inout), optional :: ipiv(*)
            type(clsolve_lu_options), intent(in), optional :: options
            type(clsolve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_lu_factor_in_place
        function clsolve_lu_predict(context, m, n, nrhs, type, device_seconds, host_seconds) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: m
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: nrhs
            integer(c_int), value :: type
            real(c_double), intent(inout), optional :: device_seconds
            real(c_double), intent(inout), optional :: host_seconds
            integer(c_int) :: outcome
        end function clsolve_lu_predict
        function clsolve_lu_warm(context, m, n, type) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: m
            integer(c_int64_t), value :: n
            integer(c_int), value :: type
            integer(c_int) :: outcome
        end function clsolve_lu_warm
        function clsolve_lu_is_warm(context, type) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int), value :: type
            integer(c_int) :: outcome
        end function clsolve_lu_is_warm
        subroutine clsolve_lu_destroy(lu) bind(C)
            import
            type(c_ptr), value :: lu
        end subroutine clsolve_lu_destroy
    end interface

    ! lu_batch.h
    interface
        function clsolve_lu_batch_create(context, n, count, type, options, batch) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: count
            integer(c_int), value :: type
            type(clsolve_lu_batch_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: batch
            integer(c_int) :: outcome
        end function clsolve_lu_batch_create
        function clsolve_lu_batch_create_ragged(context, orders, count, type, options, &
            batch) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), intent(in), optional :: orders(*)
            integer(c_int64_t), value :: count
            integer(c_int), value :: type
            type(clsolve_lu_batch_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: batch
            integer(c_int) :: outcome
        end function clsolve_lu_batch_create_ragged
        function clsolve_lu_batch_factor(batch, A, info) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_batch), intent(in), optional :: A
            integer(c_int64_t), intent(inout), optional :: info(*)
            integer(c_int) :: outcome
        end function clsolve_lu_batch_factor
        function clsolve_lu_batch_solve(batch, op, B, info) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int), value :: op
            type(clsolve_batch), intent(in), optional :: B
            integer(c_int64_t), intent(inout), optional :: info(*)
            integer(c_int) :: outcome
        end function clsolve_lu_batch_solve
        function clsolve_lu_batch_inverse(batch, X, info) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_batch), intent(in), optional :: X
            integer(c_int64_t), intent(inout), optional :: info(*)
            integer(c_int) :: outcome
        end function clsolve_lu_batch_inverse
        function clsolve_lu_batch_determinant(batch, det, sign, log_abs) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            real(c_double), intent(inout), optional :: det(*)
            real(c_double), intent(inout), optional :: sign(*)
            real(c_double), intent(inout), optional :: log_abs(*)
            integer(c_int) :: outcome
        end function clsolve_lu_batch_determinant
        function clsolve_lu_batch_condition(batch, rconds) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            real(c_double), intent(inout), optional :: rconds(*)
            integer(c_int) :: outcome
        end function clsolve_lu_batch_condition
        function clsolve_lu_batch_factors(batch, F, ipiv) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_batch), intent(in), optional :: F
            integer(c_int64_t), intent(inout), optional :: ipiv(*)
            integer(c_int) :: outcome
        end function clsolve_lu_batch_factors
        function clsolve_lu_batch_factor_enqueue(batch, A, info, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_batch), intent(in), optional :: A
            integer(c_int64_t), intent(inout), optional :: info(*)
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_lu_batch_factor_enqueue
        function clsolve_lu_batch_solve_enqueue(batch, op, B, info, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int), value :: op
            type(clsolve_batch), intent(in), optional :: B
            integer(c_int64_t), intent(inout), optional :: info(*)
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_lu_batch_solve_enqueue
        function clsolve_lu_batch_inverse_enqueue(batch, X, info, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_batch), intent(in), optional :: X
            integer(c_int64_t), intent(inout), optional :: info(*)
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_lu_batch_inverse_enqueue
        function clsolve_lu_batch_status(batch) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int) :: outcome
        end function clsolve_lu_batch_status
        function clsolve_lu_batch_report(batch, report) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_lu_batch_report
        subroutine clsolve_lu_batch_destroy(batch) bind(C)
            import
            type(c_ptr), value :: batch
        end subroutine clsolve_lu_batch_destroy
    end interface

    ! cholesky.h
    interface
        function clsolve_cholesky_create(context, n, type, options, cholesky) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: n
            integer(c_int), value :: type
            type(clsolve_cholesky_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: cholesky
            integer(c_int) :: outcome
        end function clsolve_cholesky_create
        function clsolve_cholesky_factor(cholesky, uplo, A) bind(C) result(outcome)
            import
            type(c_ptr), value :: cholesky
            integer(c_int), value :: uplo
            type(clsolve_matrix), intent(in), optional :: A
            integer(c_int) :: outcome
        end function clsolve_cholesky_factor
        function clsolve_cholesky_solve(cholesky, B) bind(C) result(outcome)
            import
            type(c_ptr), value :: cholesky
            type(clsolve_matrix), intent(in), optional :: B
            integer(c_int) :: outcome
        end function clsolve_cholesky_solve
        function clsolve_cholesky_factors(cholesky, uplo, F) bind(C) result(outcome)
            import
            type(c_ptr), value :: cholesky
            integer(c_int), value :: uplo
            type(clsolve_matrix), intent(in), optional :: F
            integer(c_int) :: outcome
        end function clsolve_cholesky_factors
        function clsolve_cholesky_import(cholesky, uplo, F) bind(C) result(outcome)
            import
            type(c_ptr), value :: cholesky
            integer(c_int), value :: uplo
            type(clsolve_matrix), intent(in), optional :: F
            integer(c_int) :: outcome
        end function clsolve_cholesky_import
        function clsolve_cholesky_condition(cholesky, norm_A, rcond) bind(C) result(outcome)
            import
            type(c_ptr), value :: cholesky
            real(c_double), value :: norm_A
            real(c_double), intent(inout), optional :: rcond
            integer(c_int) :: outcome
        end function clsolve_cholesky_condition
        function clsolve_cholesky_inverse(cholesky, uplo, X) bind(C) result(outcome)
            import
            type(c_ptr), value :: cholesky
            integer(c_int), value :: uplo
            type(clsolve_matrix), intent(in), optional :: X
            integer(c_int) :: outcome
        end function clsolve_cholesky_inverse
        function clsolve_cholesky_predict(context, n, nrhs, type, device_seconds, &
            host_seconds) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: nrhs
            integer(c_int), value :: type
            real(c_double), intent(inout), optional :: device_seconds
            real(c_double), intent(inout), optional :: host_seconds
            integer(c_int) :: outcome
        end function clsolve_cholesky_predict
        function clsolve_cholesky_warm(context, n, type) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: n
            integer(c_int), value :: type
            integer(c_int) :: outcome
        end function clsolve_cholesky_warm
        function clsolve_cholesky_is_warm(context, type) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int), value :: type
            integer(c_int) :: outcome
        end function clsolve_cholesky_is_warm
        function clsolve_cholesky_factor_enqueue(cholesky, uplo, A, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: cholesky
            integer(c_int), value :: uplo
            type(clsolve_matrix), intent(in), optional :: A
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_cholesky_factor_enqueue
        function clsolve_cholesky_solve_enqueue(cholesky, B, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: cholesky
            type(clsolve_matrix), intent(in), optional :: B
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_cholesky_solve_enqueue
        function clsolve_cholesky_status(cholesky) bind(C) result(outcome)
            import
            type(c_ptr), value :: cholesky
            integer(c_int) :: outcome
        end function clsolve_cholesky_status
        function clsolve_cholesky_report(cholesky, report) bind(C) result(outcome)
            import
            type(c_ptr), value :: cholesky
            type(clsolve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_cholesky_report
        subroutine clsolve_cholesky_destroy(cholesky) bind(C)
            import
            type(c_ptr), value :: cholesky
        end subroutine clsolve_cholesky_destroy
    end interface

    ! cholesky_batch.h
    interface
        function clsolve_cholesky_batch_create(context, n, count, type, options, batch) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: count
            integer(c_int), value :: type
            type(clsolve_cholesky_batch_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: batch
            integer(c_int) :: outcome
        end function clsolve_cholesky_batch_create
        function clsolve_cholesky_batch_create_ragged(context, orders, count, type, options, &
            batch) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), intent(in), optional :: orders(*)
            integer(c_int64_t), value :: count
            integer(c_int), value :: type
            type(clsolve_cholesky_batch_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: batch
            integer(c_int) :: outcome
        end function clsolve_cholesky_batch_create_ragged
        function clsolve_cholesky_batch_factor(batch, uplo, A, info) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int), value :: uplo
            type(clsolve_batch), intent(in), optional :: A
            integer(c_int64_t), intent(inout), optional :: info(*)
            integer(c_int) :: outcome
        end function clsolve_cholesky_batch_factor
        function clsolve_cholesky_batch_solve(batch, B, info) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_batch), intent(in), optional :: B
            integer(c_int64_t), intent(inout), optional :: info(*)
            integer(c_int) :: outcome
        end function clsolve_cholesky_batch_solve
        function clsolve_cholesky_batch_factors(batch, uplo, F) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int), value :: uplo
            type(clsolve_batch), intent(in), optional :: F
            integer(c_int) :: outcome
        end function clsolve_cholesky_batch_factors
        function clsolve_cholesky_batch_inverse(batch, uplo, X, info) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int), value :: uplo
            type(clsolve_batch), intent(in), optional :: X
            integer(c_int64_t), intent(inout), optional :: info(*)
            integer(c_int) :: outcome
        end function clsolve_cholesky_batch_inverse
        function clsolve_cholesky_batch_factor_enqueue(batch, uplo, A, info, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int), value :: uplo
            type(clsolve_batch), intent(in), optional :: A
            integer(c_int64_t), intent(inout), optional :: info(*)
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_cholesky_batch_factor_enqueue
        function clsolve_cholesky_batch_solve_enqueue(batch, B, info, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_batch), intent(in), optional :: B
            integer(c_int64_t), intent(inout), optional :: info(*)
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_cholesky_batch_solve_enqueue
        function clsolve_cholesky_batch_inverse_enqueue(batch, uplo, X, info, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int), value :: uplo
            type(clsolve_batch), intent(in), optional :: X
            integer(c_int64_t), intent(inout), optional :: info(*)
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_cholesky_batch_inverse_enqueue
        function clsolve_cholesky_batch_status(batch) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int) :: outcome
        end function clsolve_cholesky_batch_status
        function clsolve_cholesky_batch_report(batch, report) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_cholesky_batch_report
        subroutine clsolve_cholesky_batch_destroy(batch) bind(C)
            import
            type(c_ptr), value :: batch
        end subroutine clsolve_cholesky_batch_destroy
    end interface

    ! ldl.h
    interface
        function clsolve_ldl_create(context, n, type, options, ldl) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: n
            integer(c_int), value :: type
            type(clsolve_ldl_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: ldl
            integer(c_int) :: outcome
        end function clsolve_ldl_create
        function clsolve_ldl_factor(ldl, uplo, A) bind(C) result(outcome)
            import
            type(c_ptr), value :: ldl
            integer(c_int), value :: uplo
            type(clsolve_matrix), intent(in), optional :: A
            integer(c_int) :: outcome
        end function clsolve_ldl_factor
        function clsolve_ldl_solve(ldl, B) bind(C) result(outcome)
            import
            type(c_ptr), value :: ldl
            type(clsolve_matrix), intent(in), optional :: B
            integer(c_int) :: outcome
        end function clsolve_ldl_solve
        function clsolve_ldl_inertia(ldl, inertia) bind(C) result(outcome)
            import
            type(c_ptr), value :: ldl
            type(clsolve_inertia), intent(inout), optional :: inertia
            integer(c_int) :: outcome
        end function clsolve_ldl_inertia
        function clsolve_ldl_factors(ldl, F, ipiv) bind(C) result(outcome)
            import
            type(c_ptr), value :: ldl
            type(clsolve_matrix), intent(in), optional :: F
            integer(c_int64_t), intent(inout), optional :: ipiv(*)
            integer(c_int) :: outcome
        end function clsolve_ldl_factors
        function clsolve_ldl_import(ldl, F, ipiv) bind(C) result(outcome)
            import
            type(c_ptr), value :: ldl
            type(clsolve_matrix), intent(in), optional :: F
            integer(c_int64_t), intent(in), optional :: ipiv(*)
            integer(c_int) :: outcome
        end function clsolve_ldl_import
        function clsolve_ldl_condition(ldl, norm_A, rcond) bind(C) result(outcome)
            import
            type(c_ptr), value :: ldl
            real(c_double), value :: norm_A
            real(c_double), intent(inout), optional :: rcond
            integer(c_int) :: outcome
        end function clsolve_ldl_condition
        function clsolve_ldl_inverse(ldl, uplo, X) bind(C) result(outcome)
            import
            type(c_ptr), value :: ldl
            integer(c_int), value :: uplo
            type(clsolve_matrix), intent(in), optional :: X
            integer(c_int) :: outcome
        end function clsolve_ldl_inverse
        function clsolve_ldl_predict(context, n, nrhs, type, device_seconds, host_seconds) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: nrhs
            integer(c_int), value :: type
            real(c_double), intent(inout), optional :: device_seconds
            real(c_double), intent(inout), optional :: host_seconds
            integer(c_int) :: outcome
        end function clsolve_ldl_predict
        function clsolve_ldl_warm(context, n, type) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: n
            integer(c_int), value :: type
            integer(c_int) :: outcome
        end function clsolve_ldl_warm
        function clsolve_ldl_is_warm(context, type) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int), value :: type
            integer(c_int) :: outcome
        end function clsolve_ldl_is_warm
        function clsolve_ldl_factor_enqueue(ldl, uplo, A, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: ldl
            integer(c_int), value :: uplo
            type(clsolve_matrix), intent(in), optional :: A
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_ldl_factor_enqueue
        function clsolve_ldl_solve_enqueue(ldl, B, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: ldl
            type(clsolve_matrix), intent(in), optional :: B
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_ldl_solve_enqueue
        function clsolve_ldl_status(ldl) bind(C) result(outcome)
            import
            type(c_ptr), value :: ldl
            integer(c_int) :: outcome
        end function clsolve_ldl_status
        function clsolve_ldl_report(ldl, report) bind(C) result(outcome)
            import
            type(c_ptr), value :: ldl
            type(clsolve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_ldl_report
        subroutine clsolve_ldl_destroy(ldl) bind(C)
            import
            type(c_ptr), value :: ldl
        end subroutine clsolve_ldl_destroy
    end interface

    ! gauss_jordan.h
    interface
        function clsolve_gauss_jordan_create(context, n, type, options, handle) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: n
            integer(c_int), value :: type
            type(clsolve_gauss_jordan_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: handle
            integer(c_int) :: outcome
        end function clsolve_gauss_jordan_create
        function clsolve_gauss_jordan_solve(handle, op, A, B) bind(C) result(outcome)
            import
            type(c_ptr), value :: handle
            integer(c_int), value :: op
            type(clsolve_matrix), intent(in), optional :: A
            type(clsolve_matrix), intent(in), optional :: B
            integer(c_int) :: outcome
        end function clsolve_gauss_jordan_solve
        function clsolve_gauss_jordan_invert(handle, A, X) bind(C) result(outcome)
            import
            type(c_ptr), value :: handle
            type(clsolve_matrix), intent(in), optional :: A
            type(clsolve_matrix), intent(in), optional :: X
            integer(c_int) :: outcome
        end function clsolve_gauss_jordan_invert
        function clsolve_gauss_jordan_solve_enqueue(handle, op, A, B, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: handle
            integer(c_int), value :: op
            type(clsolve_matrix), intent(in), optional :: A
            type(clsolve_matrix), intent(in), optional :: B
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_gauss_jordan_solve_enqueue
        function clsolve_gauss_jordan_invert_enqueue(handle, A, X, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: handle
            type(clsolve_matrix), intent(in), optional :: A
            type(clsolve_matrix), intent(in), optional :: X
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_gauss_jordan_invert_enqueue
        function clsolve_gauss_jordan_status(handle) bind(C) result(outcome)
            import
            type(c_ptr), value :: handle
            integer(c_int) :: outcome
        end function clsolve_gauss_jordan_status
        function clsolve_gauss_jordan_report(handle, report) bind(C) result(outcome)
            import
            type(c_ptr), value :: handle
            type(clsolve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_gauss_jordan_report
        subroutine clsolve_gauss_jordan_destroy(handle) bind(C)
            import
            type(c_ptr), value :: handle
        end subroutine clsolve_gauss_jordan_destroy
    end interface

    ! gauss_jordan_batch.h
    interface
        function clsolve_gauss_jordan_batch_create(context, n, count, type, options, batch) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: count
            integer(c_int), value :: type
            type(clsolve_gauss_jordan_batch_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: batch
            integer(c_int) :: outcome
        end function clsolve_gauss_jordan_batch_create
        function clsolve_gauss_jordan_batch_invert(batch, A, X, info) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_batch), intent(in), optional :: A
            type(clsolve_batch), intent(in), optional :: X
            integer(c_int64_t), intent(inout), optional :: info(*)
            integer(c_int) :: outcome
        end function clsolve_gauss_jordan_batch_invert
        function clsolve_gauss_jordan_batch_solve(batch, op, A, B, info) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int), value :: op
            type(clsolve_batch), intent(in), optional :: A
            type(clsolve_batch), intent(in), optional :: B
            integer(c_int64_t), intent(inout), optional :: info(*)
            integer(c_int) :: outcome
        end function clsolve_gauss_jordan_batch_solve
        function clsolve_gauss_jordan_batch_invert_enqueue(batch, A, X, info, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_batch), intent(in), optional :: A
            type(clsolve_batch), intent(in), optional :: X
            integer(c_int64_t), intent(inout), optional :: info(*)
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_gauss_jordan_batch_invert_enqueue
        function clsolve_gauss_jordan_batch_solve_enqueue(batch, op, A, B, info, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int), value :: op
            type(clsolve_batch), intent(in), optional :: A
            type(clsolve_batch), intent(in), optional :: B
            integer(c_int64_t), intent(inout), optional :: info(*)
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_gauss_jordan_batch_solve_enqueue
        function clsolve_gauss_jordan_batch_status(batch) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int) :: outcome
        end function clsolve_gauss_jordan_batch_status
        function clsolve_gauss_jordan_batch_report(batch, report) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_gauss_jordan_batch_report
        subroutine clsolve_gauss_jordan_batch_destroy(batch) bind(C)
            import
            type(c_ptr), value :: batch
        end subroutine clsolve_gauss_jordan_batch_destroy
    end interface

    ! band.h
    interface
        function clsolve_band_create(context, n, kl, ku, type, options, band) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: kl
            integer(c_int64_t), value :: ku
            integer(c_int), value :: type
            type(clsolve_band_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: band
            integer(c_int) :: outcome
        end function clsolve_band_create
        function clsolve_band_factor(band, AB) bind(C) result(outcome)
            import
            type(c_ptr), value :: band
            type(clsolve_matrix), intent(in), optional :: AB
            integer(c_int) :: outcome
        end function clsolve_band_factor
        function clsolve_band_factor_csr(band, A, rows, columns) bind(C) result(outcome)
            import
            type(c_ptr), value :: band
            type(clsolve_csr), intent(in), optional :: A
            integer(c_int64_t), intent(in), optional :: rows(*)
            integer(c_int64_t), intent(in), optional :: columns(*)
            integer(c_int) :: outcome
        end function clsolve_band_factor_csr
        function clsolve_band_solve(band, op, B) bind(C) result(outcome)
            import
            type(c_ptr), value :: band
            integer(c_int), value :: op
            type(clsolve_matrix), intent(in), optional :: B
            integer(c_int) :: outcome
        end function clsolve_band_solve
        function clsolve_band_factors(band, AFB, ipiv) bind(C) result(outcome)
            import
            type(c_ptr), value :: band
            type(clsolve_matrix), intent(in), optional :: AFB
            integer(c_int64_t), intent(inout), optional :: ipiv(*)
            integer(c_int) :: outcome
        end function clsolve_band_factors
        function clsolve_band_import(band, AFB, ipiv) bind(C) result(outcome)
            import
            type(c_ptr), value :: band
            type(clsolve_matrix), intent(in), optional :: AFB
            integer(c_int64_t), intent(in), optional :: ipiv(*)
            integer(c_int) :: outcome
        end function clsolve_band_import
        function clsolve_band_condition(band, norm, norm_A, rcond) bind(C) result(outcome)
            import
            type(c_ptr), value :: band
            integer(c_int), value :: norm
            real(c_double), value :: norm_A
            real(c_double), intent(inout), optional :: rcond
            integer(c_int) :: outcome
        end function clsolve_band_condition
        function clsolve_band_factor_enqueue(band, AB, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: band
            type(clsolve_matrix), intent(in), optional :: AB
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_band_factor_enqueue
        function clsolve_band_solve_enqueue(band, op, B, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: band
            integer(c_int), value :: op
            type(clsolve_matrix), intent(in), optional :: B
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_band_solve_enqueue
        function clsolve_band_status(band) bind(C) result(outcome)
            import
            type(c_ptr), value :: band
            integer(c_int) :: outcome
        end function clsolve_band_status
        function clsolve_band_report(band, report) bind(C) result(outcome)
            import
            type(c_ptr), value :: band
            type(clsolve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_band_report
        function clsolve_band_factor_in_place(context, m, n, kl, ku, AB, ipiv, options, &
            report) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: m
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: kl
            integer(c_int64_t), value :: ku
            type(clsolve_matrix), intent(in), optional :: AB
            integer(c_int64_t), intent(inout), optional :: ipiv(*)
            type(clsolve_band_options), intent(in), optional :: options
            type(clsolve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_band_factor_in_place
        function clsolve_band_predict(context, m, n, kl, ku, nrhs, type, device_seconds, &
            host_seconds) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: m
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: kl
            integer(c_int64_t), value :: ku
            integer(c_int64_t), value :: nrhs
            integer(c_int), value :: type
            real(c_double), intent(inout), optional :: device_seconds
            real(c_double), intent(inout), optional :: host_seconds
            integer(c_int) :: outcome
        end function clsolve_band_predict
        function clsolve_band_warm(context, n, kl, ku, type) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: kl
            integer(c_int64_t), value :: ku
            integer(c_int), value :: type
            integer(c_int) :: outcome
        end function clsolve_band_warm
        function clsolve_band_is_warm(context, type) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int), value :: type
            integer(c_int) :: outcome
        end function clsolve_band_is_warm
        subroutine clsolve_band_destroy(band) bind(C)
            import
            type(c_ptr), value :: band
        end subroutine clsolve_band_destroy
    end interface

    ! band_batch.h
    interface
        function clsolve_band_batch_create(context, n, kl, ku, count, type, options, batch) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: kl
            integer(c_int64_t), value :: ku
            integer(c_int64_t), value :: count
            integer(c_int), value :: type
            type(clsolve_band_batch_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: batch
            integer(c_int) :: outcome
        end function clsolve_band_batch_create
        function clsolve_band_batch_factor(batch, AB, info) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_batch), intent(in), optional :: AB
            integer(c_int64_t), intent(inout), optional :: info(*)
            integer(c_int) :: outcome
        end function clsolve_band_batch_factor
        function clsolve_band_batch_solve(batch, op, B, info) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int), value :: op
            type(clsolve_batch), intent(in), optional :: B
            integer(c_int64_t), intent(inout), optional :: info(*)
            integer(c_int) :: outcome
        end function clsolve_band_batch_solve
        function clsolve_band_batch_factors(batch, AFB, ipiv) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_batch), intent(in), optional :: AFB
            integer(c_int64_t), intent(inout), optional :: ipiv(*)
            integer(c_int) :: outcome
        end function clsolve_band_batch_factors
        function clsolve_band_batch_factor_enqueue(batch, AB, info, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_batch), intent(in), optional :: AB
            integer(c_int64_t), intent(inout), optional :: info(*)
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_band_batch_factor_enqueue
        function clsolve_band_batch_solve_enqueue(batch, op, B, info, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int), value :: op
            type(clsolve_batch), intent(in), optional :: B
            integer(c_int64_t), intent(inout), optional :: info(*)
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_band_batch_solve_enqueue
        function clsolve_band_batch_status(batch) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int) :: outcome
        end function clsolve_band_batch_status
        function clsolve_band_batch_report(batch, report) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_band_batch_report
        subroutine clsolve_band_batch_destroy(batch) bind(C)
            import
            type(c_ptr), value :: batch
        end subroutine clsolve_band_batch_destroy
    end interface

    ! band_cholesky.h
    interface
        function clsolve_band_cholesky_create(context, n, k, type, options, band) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: k
            integer(c_int), value :: type
            type(clsolve_band_cholesky_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: band
            integer(c_int) :: outcome
        end function clsolve_band_cholesky_create
        function clsolve_band_cholesky_factor(band, uplo, AB) bind(C) result(outcome)
            import
            type(c_ptr), value :: band
            integer(c_int), value :: uplo
            type(clsolve_matrix), intent(in), optional :: AB
            integer(c_int) :: outcome
        end function clsolve_band_cholesky_factor
        function clsolve_band_cholesky_solve(band, B) bind(C) result(outcome)
            import
            type(c_ptr), value :: band
            type(clsolve_matrix), intent(in), optional :: B
            integer(c_int) :: outcome
        end function clsolve_band_cholesky_solve
        function clsolve_band_cholesky_factors(band, uplo, F) bind(C) result(outcome)
            import
            type(c_ptr), value :: band
            integer(c_int), value :: uplo
            type(clsolve_matrix), intent(in), optional :: F
            integer(c_int) :: outcome
        end function clsolve_band_cholesky_factors
        function clsolve_band_cholesky_import(band, uplo, F) bind(C) result(outcome)
            import
            type(c_ptr), value :: band
            integer(c_int), value :: uplo
            type(clsolve_matrix), intent(in), optional :: F
            integer(c_int) :: outcome
        end function clsolve_band_cholesky_import
        function clsolve_band_cholesky_condition(band, norm_A, rcond) bind(C) result(outcome)
            import
            type(c_ptr), value :: band
            real(c_double), value :: norm_A
            real(c_double), intent(inout), optional :: rcond
            integer(c_int) :: outcome
        end function clsolve_band_cholesky_condition
        function clsolve_band_cholesky_report(band, report) bind(C) result(outcome)
            import
            type(c_ptr), value :: band
            type(clsolve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_band_cholesky_report
        subroutine clsolve_band_cholesky_destroy(band) bind(C)
            import
            type(c_ptr), value :: band
        end subroutine clsolve_band_cholesky_destroy
    end interface

    ! tridiagonal_batch.h
    interface
        function clsolve_tridiagonal_batch_create(context, n, count, type, options, batch) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: n
            integer(c_int64_t), value :: count
            integer(c_int), value :: type
            type(clsolve_tridiagonal_batch_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: batch
            integer(c_int) :: outcome
        end function clsolve_tridiagonal_batch_create
        function clsolve_tridiagonal_batch_factor(batch, dl, d, du, info) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_batch), intent(in), optional :: dl
            type(clsolve_batch), intent(in), optional :: d
            type(clsolve_batch), intent(in), optional :: du
            integer(c_int64_t), intent(inout), optional :: info(*)
            integer(c_int) :: outcome
        end function clsolve_tridiagonal_batch_factor
        function clsolve_tridiagonal_batch_solve(batch, op, B, info) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int), value :: op
            type(clsolve_batch), intent(in), optional :: B
            integer(c_int64_t), intent(inout), optional :: info(*)
            integer(c_int) :: outcome
        end function clsolve_tridiagonal_batch_solve
        function clsolve_tridiagonal_batch_factor_enqueue(batch, dl, d, du, info, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_batch), intent(in), optional :: dl
            type(clsolve_batch), intent(in), optional :: d
            type(clsolve_batch), intent(in), optional :: du
            integer(c_int64_t), intent(inout), optional :: info(*)
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_tridiagonal_batch_factor_enqueue
        function clsolve_tridiagonal_batch_solve_enqueue(batch, op, B, info, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int), value :: op
            type(clsolve_batch), intent(in), optional :: B
            integer(c_int64_t), intent(inout), optional :: info(*)
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_tridiagonal_batch_solve_enqueue
        function clsolve_tridiagonal_batch_status(batch) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int) :: outcome
        end function clsolve_tridiagonal_batch_status
        function clsolve_tridiagonal_batch_report(batch, report) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_tridiagonal_batch_report
        subroutine clsolve_tridiagonal_batch_destroy(batch) bind(C)
            import
            type(c_ptr), value :: batch
        end subroutine clsolve_tridiagonal_batch_destroy
    end interface

    ! block_gs.h
    interface
        function clsolve_block_gs_create(context, N, M, type, options, handle) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: N
            integer(c_int64_t), value :: M
            integer(c_int), value :: type
            type(clsolve_block_gs_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: handle
            integer(c_int) :: outcome
        end function clsolve_block_gs_create
        function clsolve_block_gs_factor(handle, up, a, c, b, down) bind(C) result(outcome)
            import
            type(c_ptr), value :: handle
            type(clsolve_grid), intent(in), optional :: up
            type(clsolve_grid), intent(in), optional :: a
            type(clsolve_grid), intent(in), optional :: c
            type(clsolve_grid), intent(in), optional :: b
            type(clsolve_grid), intent(in), optional :: down
            integer(c_int) :: outcome
        end function clsolve_block_gs_factor
        function clsolve_block_gs_solve(handle, F, Y, nrhs) bind(C) result(outcome)
            import
            type(c_ptr), value :: handle
            type(clsolve_grid), intent(in), optional :: F
            type(clsolve_grid), intent(in), optional :: Y
            integer(c_int64_t), value :: nrhs
            integer(c_int) :: outcome
        end function clsolve_block_gs_solve
        function clsolve_block_gs_factor_enqueue(handle, up, a, c, b, down, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: handle
            type(clsolve_grid), intent(in), optional :: up
            type(clsolve_grid), intent(in), optional :: a
            type(clsolve_grid), intent(in), optional :: c
            type(clsolve_grid), intent(in), optional :: b
            type(clsolve_grid), intent(in), optional :: down
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_block_gs_factor_enqueue
        function clsolve_block_gs_solve_enqueue(handle, F, Y, nrhs, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: handle
            type(clsolve_grid), intent(in), optional :: F
            type(clsolve_grid), intent(in), optional :: Y
            integer(c_int64_t), value :: nrhs
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_block_gs_solve_enqueue
        function clsolve_block_gs_status(handle) bind(C) result(outcome)
            import
            type(c_ptr), value :: handle
            integer(c_int) :: outcome
        end function clsolve_block_gs_status
        function clsolve_block_gs_report(handle, report) bind(C) result(outcome)
            import
            type(c_ptr), value :: handle
            type(clsolve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_block_gs_report
        subroutine clsolve_block_gs_destroy(handle) bind(C)
            import
            type(c_ptr), value :: handle
        end subroutine clsolve_block_gs_destroy
    end interface

    ! grid_slab.h
    interface
        function clsolve_grid_slab_create(context, N, M, first, count, type, slab) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int64_t), value :: N
            integer(c_int64_t), value :: M
            integer(c_int64_t), value :: first
            integer(c_int64_t), value :: count
            integer(c_int), value :: type
            type(c_ptr), intent(inout), optional :: slab
            integer(c_int) :: outcome
        end function clsolve_grid_slab_create
        function clsolve_grid_slab_put_coefficients(slab, line, lines, up, a, c, b, down) bind(C) result(outcome)
            import
            type(c_ptr), value :: slab
            integer(c_int64_t), value :: line
            integer(c_int64_t), value :: lines
            type(c_ptr), value :: up
            type(c_ptr), value :: a
            type(c_ptr), value :: c
            type(c_ptr), value :: b
            type(c_ptr), value :: down
            integer(c_int) :: outcome
        end function clsolve_grid_slab_put_coefficients
        function clsolve_grid_slab_get_coefficients(slab, line, lines, up, a, c, b, down) bind(C) result(outcome)
            import
            type(c_ptr), value :: slab
            integer(c_int64_t), value :: line
            integer(c_int64_t), value :: lines
            type(c_ptr), value :: up
            type(c_ptr), value :: a
            type(c_ptr), value :: c
            type(c_ptr), value :: b
            type(c_ptr), value :: down
            integer(c_int) :: outcome
        end function clsolve_grid_slab_get_coefficients
        function clsolve_grid_slab_factor(slab, symmetric) bind(C) result(outcome)
            import
            type(c_ptr), value :: slab
            integer(c_int32_t), intent(inout), optional :: symmetric
            integer(c_int) :: outcome
        end function clsolve_grid_slab_factor
        function clsolve_grid_slab_coarsen(slab, symmetric, coarse) bind(C) result(outcome)
            import
            type(c_ptr), value :: slab
            integer(c_int32_t), value :: symmetric
            type(c_ptr), intent(inout), optional :: coarse
            integer(c_int) :: outcome
        end function clsolve_grid_slab_coarsen
        function clsolve_grid_slab_put(slab, vector, line, lines, values) bind(C) result(outcome)
            import
            type(c_ptr), value :: slab
            integer(c_int), value :: vector
            integer(c_int64_t), value :: line
            integer(c_int64_t), value :: lines
            type(c_ptr), value :: values
            integer(c_int) :: outcome
        end function clsolve_grid_slab_put
        function clsolve_grid_slab_get(slab, vector, line, lines, values) bind(C) result(outcome)
            import
            type(c_ptr), value :: slab
            integer(c_int), value :: vector
            integer(c_int64_t), value :: line
            integer(c_int64_t), value :: lines
            type(c_ptr), value :: values
            integer(c_int) :: outcome
        end function clsolve_grid_slab_get
        function clsolve_grid_slab_half_sweep(slab, colour, zero) bind(C) result(outcome)
            import
            type(c_ptr), value :: slab
            integer(c_int32_t), value :: colour
            integer(c_int32_t), value :: zero
            integer(c_int) :: outcome
        end function clsolve_grid_slab_half_sweep
        function clsolve_grid_slab_residual(slab) bind(C) result(outcome)
            import
            type(c_ptr), value :: slab
            integer(c_int) :: outcome
        end function clsolve_grid_slab_residual
        function clsolve_grid_slab_restrict(slab, coarse) bind(C) result(outcome)
            import
            type(c_ptr), value :: slab
            type(c_ptr), value :: coarse
            integer(c_int) :: outcome
        end function clsolve_grid_slab_restrict
        function clsolve_grid_slab_prolong(slab, coarse) bind(C) result(outcome)
            import
            type(c_ptr), value :: slab
            type(c_ptr), value :: coarse
            integer(c_int) :: outcome
        end function clsolve_grid_slab_prolong
        function clsolve_grid_slab_report(slab, report) bind(C) result(outcome)
            import
            type(c_ptr), value :: slab
            type(clsolve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_grid_slab_report
        subroutine clsolve_grid_slab_destroy(slab) bind(C)
            import
            type(c_ptr), value :: slab
        end subroutine clsolve_grid_slab_destroy
    end interface

    ! sparse.h
    interface
        function clsolve_sparse_create_csr(context, A, options, sparse) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            type(clsolve_csr), intent(in), optional :: A
            type(clsolve_sparse_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: sparse
            integer(c_int) :: outcome
        end function clsolve_sparse_create_csr
        function clsolve_sparse_factor_csr(sparse, A) bind(C) result(outcome)
            import
            type(c_ptr), value :: sparse
            type(clsolve_csr), intent(in), optional :: A
            integer(c_int) :: outcome
        end function clsolve_sparse_factor_csr
        function clsolve_sparse_factor_values(sparse, values) bind(C) result(outcome)
            import
            type(c_ptr), value :: sparse
            type(clsolve_matrix), intent(in), optional :: values
            integer(c_int) :: outcome
        end function clsolve_sparse_factor_values
        function clsolve_sparse_solve(sparse, op, B) bind(C) result(outcome)
            import
            type(c_ptr), value :: sparse
            integer(c_int), value :: op
            type(clsolve_matrix), intent(in), optional :: B
            integer(c_int) :: outcome
        end function clsolve_sparse_solve
        function clsolve_sparse_get_analysis(sparse, analysis) bind(C) result(outcome)
            import
            type(c_ptr), value :: sparse
            type(clsolve_sparse_analysis), intent(inout), optional :: analysis
            integer(c_int) :: outcome
        end function clsolve_sparse_get_analysis
        function clsolve_sparse_permutations(sparse, rows, columns) bind(C) result(outcome)
            import
            type(c_ptr), value :: sparse
            integer(c_int64_t), intent(inout), optional :: rows(*)
            integer(c_int64_t), intent(inout), optional :: columns(*)
            integer(c_int) :: outcome
        end function clsolve_sparse_permutations
        function clsolve_sparse_inertia(sparse, inertia) bind(C) result(outcome)
            import
            type(c_ptr), value :: sparse
            type(clsolve_inertia), intent(inout), optional :: inertia
            integer(c_int) :: outcome
        end function clsolve_sparse_inertia
        function clsolve_sparse_factor_values_enqueue(sparse, values, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: sparse
            type(clsolve_matrix), intent(in), optional :: values
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_sparse_factor_values_enqueue
        function clsolve_sparse_solve_enqueue(sparse, op, B, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: sparse
            integer(c_int), value :: op
            type(clsolve_matrix), intent(in), optional :: B
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_sparse_solve_enqueue
        function clsolve_sparse_status(sparse) bind(C) result(outcome)
            import
            type(c_ptr), value :: sparse
            integer(c_int) :: outcome
        end function clsolve_sparse_status
        function clsolve_sparse_report(sparse, report) bind(C) result(outcome)
            import
            type(c_ptr), value :: sparse
            type(clsolve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_sparse_report
        subroutine clsolve_sparse_destroy(sparse) bind(C)
            import
            type(c_ptr), value :: sparse
        end subroutine clsolve_sparse_destroy
    end interface

    ! solve.h
    interface
        function clsolve_solve_csr(context, op, A, B, options, report) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int), value :: op
            type(clsolve_csr), intent(in), optional :: A
            type(clsolve_matrix), intent(in), optional :: B
            type(clsolve_solver_options), intent(in), optional :: options
            type(clsolve_solve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_solve_csr
        function clsolve_solver_create(context, A, options, solver) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            type(clsolve_matrix), intent(in), optional :: A
            type(clsolve_solver_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: solver
            integer(c_int) :: outcome
        end function clsolve_solver_create
        function clsolve_solver_create_csr(context, A, options, solver) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            type(clsolve_csr), intent(in), optional :: A
            type(clsolve_solver_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: solver
            integer(c_int) :: outcome
        end function clsolve_solver_create_csr
        function clsolve_solver_factor(solver, A) bind(C) result(outcome)
            import
            type(c_ptr), value :: solver
            type(clsolve_matrix), intent(in), optional :: A
            integer(c_int) :: outcome
        end function clsolve_solver_factor
        function clsolve_solver_factor_csr(solver, A) bind(C) result(outcome)
            import
            type(c_ptr), value :: solver
            type(clsolve_csr), intent(in), optional :: A
            integer(c_int) :: outcome
        end function clsolve_solver_factor_csr
        function clsolve_solver_solve(solver, op, B) bind(C) result(outcome)
            import
            type(c_ptr), value :: solver
            integer(c_int), value :: op
            type(clsolve_matrix), intent(in), optional :: B
            integer(c_int) :: outcome
        end function clsolve_solver_solve
        function clsolve_solver_report(solver, report) bind(C) result(outcome)
            import
            type(c_ptr), value :: solver
            type(clsolve_solve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_solver_report
        function clsolve_solver_sparse_analysis(solver, analysis) bind(C) result(outcome)
            import
            type(c_ptr), value :: solver
            type(clsolve_sparse_analysis), intent(inout), optional :: analysis
            integer(c_int) :: outcome
        end function clsolve_solver_sparse_analysis
        function clsolve_solver_sparse_permutations(solver, rows, columns) bind(C) result(outcome)
            import
            type(c_ptr), value :: solver
            integer(c_int64_t), intent(inout), optional :: rows(*)
            integer(c_int64_t), intent(inout), optional :: columns(*)
            integer(c_int) :: outcome
        end function clsolve_solver_sparse_permutations
        subroutine clsolve_solver_destroy(solver) bind(C)
            import
            type(c_ptr), value :: solver
        end subroutine clsolve_solver_destroy
    end interface

    ! sparse_batch.h
    interface
        function clsolve_sparse_batch_create_csr(context, A, count, options, batch) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            type(clsolve_csr), intent(in), optional :: A
            integer(c_int64_t), value :: count
            type(clsolve_sparse_batch_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: batch
            integer(c_int) :: outcome
        end function clsolve_sparse_batch_create_csr
        function clsolve_sparse_batch_factor(batch, values, info) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_batch), intent(in), optional :: values
            integer(c_int64_t), intent(inout), optional :: info(*)
            integer(c_int) :: outcome
        end function clsolve_sparse_batch_factor
        function clsolve_sparse_batch_solve(batch, op, B, info) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int), value :: op
            type(clsolve_batch), intent(in), optional :: B
            integer(c_int64_t), intent(inout), optional :: info(*)
            integer(c_int) :: outcome
        end function clsolve_sparse_batch_solve
        function clsolve_sparse_batch_determinant(batch, det, sign, log_abs) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            real(c_double), intent(inout), optional :: det(*)
            real(c_double), intent(inout), optional :: sign(*)
            real(c_double), intent(inout), optional :: log_abs(*)
            integer(c_int) :: outcome
        end function clsolve_sparse_batch_determinant
        function clsolve_sparse_batch_get_analysis(batch, analysis) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_sparse_batch_analysis), intent(inout), optional :: analysis
            integer(c_int) :: outcome
        end function clsolve_sparse_batch_get_analysis
        function clsolve_sparse_batch_factor_enqueue(batch, values, info, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_batch), intent(in), optional :: values
            integer(c_int64_t), intent(inout), optional :: info(*)
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_sparse_batch_factor_enqueue
        function clsolve_sparse_batch_solve_enqueue(batch, op, B, info, events) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int), value :: op
            type(clsolve_batch), intent(in), optional :: B
            integer(c_int64_t), intent(inout), optional :: info(*)
            type(clsolve_events), intent(in), optional :: events
            integer(c_int) :: outcome
        end function clsolve_sparse_batch_solve_enqueue
        function clsolve_sparse_batch_status(batch) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            integer(c_int) :: outcome
        end function clsolve_sparse_batch_status
        function clsolve_sparse_batch_report(batch, report) bind(C) result(outcome)
            import
            type(c_ptr), value :: batch
            type(clsolve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_sparse_batch_report
        subroutine clsolve_sparse_batch_destroy(batch) bind(C)
            import
            type(c_ptr), value :: batch
        end subroutine clsolve_sparse_batch_destroy
    end interface

    ! tune.h
    interface
        function clsolve_tune(context, type, options, report) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int), value :: type
            type(clsolve_tune_options), intent(in), optional :: options
            type(clsolve_tune_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_tune
        function clsolve_tune_describe(context, type, text, size) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int), value :: type
            character(kind=c_char), intent(inout), optional :: text(*)
            integer(c_size_t), value :: size
            integer(c_int) :: outcome
        end function clsolve_tune_describe
        function clsolve_tune_share(context, text, size) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            character(kind=c_char), intent(inout), optional :: text(*)
            integer(c_size_t), value :: size
            integer(c_int) :: outcome
        end function clsolve_tune_share
        function clsolve_tune_share_type(context, type, text, size) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int), value :: type
            character(kind=c_char), intent(inout), optional :: text(*)
            integer(c_size_t), value :: size
            integer(c_int) :: outcome
        end function clsolve_tune_share_type
        function clsolve_calibrate(context, type) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int), value :: type
            integer(c_int) :: outcome
        end function clsolve_calibrate
    end interface

    ! version.h
    interface
        function clsolve_version() bind(C) result(outcome)
            import
            type(c_ptr) :: outcome
        end function clsolve_version
    end interface

    ! opencl.h
    interface
        function clsolve_context_create_opencl(cl, device, queue, options, context) bind(C) result(outcome)
            import
            type(c_ptr), value :: cl
            type(c_ptr), value :: device
            type(c_ptr), value :: queue
            type(clsolve_context_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: context
            integer(c_int) :: outcome
        end function clsolve_context_create_opencl
        function clsolve_context_follow_opencl(context, queue) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            type(c_ptr), value :: queue
            integer(c_int) :: outcome
        end function clsolve_context_follow_opencl
    end interface

    ! cuda.h
    interface
        function clsolve_context_create_cuda(device, stream, options, context) bind(C) result(outcome)
            import
            integer(c_int), value :: device
            type(c_ptr), value :: stream
            type(clsolve_context_options), intent(in), optional :: options
            type(c_ptr), intent(inout), optional :: context
            integer(c_int) :: outcome
        end function clsolve_context_create_cuda
        function clsolve_context_follow_cuda(context, stream) bind(C) result(outcome)
            import
            type(c_ptr), value :: context
            type(c_ptr), value :: stream
            integer(c_int) :: outcome
        end function clsolve_context_follow_cuda
    end interface

    interface clsolve_solve
        function clsolve_solve_c(context, op, A, B, options, report) bind(C, name="clsolve_solve") result(outcome)
            import
            type(c_ptr), value :: context
            integer(c_int), value :: op
            type(clsolve_matrix), intent(in), optional :: A
            type(clsolve_matrix), intent(in), optional :: B
            type(clsolve_solver_options), intent(in), optional :: options
            type(clsolve_solve_report), intent(inout), optional :: report
            integer(c_int) :: outcome
        end function clsolve_solve_c
    end interface clsolve_solve

    public :: clsolve_status_text, clsolve_status_name, clsolve_devices, clsolve_context_create, &
        clsolve_context_create_with, clsolve_context_create_many, clsolve_context_destroy, clsolve_context_message, &
        clsolve_context_self_test, clsolve_context_check_cache, clsolve_context_try_lock, clsolve_context_unlock, &
        clsolve_context_device, clsolve_context_device_count, clsolve_context_share_at, clsolve_context_device_at, &
        clsolve_host_alloc, clsolve_host_free, clsolve_lu_create, clsolve_lu_factor, clsolve_lu_factor_csr, &
        clsolve_lu_solve, clsolve_lu_factors, clsolve_lu_import, clsolve_lu_condition, clsolve_lu_inverse, &
        clsolve_lu_refine, clsolve_lu_factor_enqueue, clsolve_lu_solve_enqueue, clsolve_lu_status, &
        clsolve_lu_report, clsolve_lu_factor_in_place, clsolve_lu_predict, clsolve_lu_warm, clsolve_lu_is_warm, &
        clsolve_lu_destroy, clsolve_lu_batch_create, clsolve_lu_batch_create_ragged, clsolve_lu_batch_factor, &
        clsolve_lu_batch_solve, clsolve_lu_batch_inverse, clsolve_lu_batch_determinant, clsolve_lu_batch_condition, &
        clsolve_lu_batch_factors, clsolve_lu_batch_factor_enqueue, clsolve_lu_batch_solve_enqueue, &
        clsolve_lu_batch_inverse_enqueue, clsolve_lu_batch_status, clsolve_lu_batch_report, &
        clsolve_lu_batch_destroy, clsolve_cholesky_create, clsolve_cholesky_factor, clsolve_cholesky_solve, &
        clsolve_cholesky_factors, clsolve_cholesky_import, clsolve_cholesky_condition, clsolve_cholesky_inverse, &
        clsolve_cholesky_predict, clsolve_cholesky_warm, clsolve_cholesky_is_warm, clsolve_cholesky_factor_enqueue, &
        clsolve_cholesky_solve_enqueue, clsolve_cholesky_status, clsolve_cholesky_report, clsolve_cholesky_destroy, &
        clsolve_cholesky_batch_create, clsolve_cholesky_batch_create_ragged, clsolve_cholesky_batch_factor, &
        clsolve_cholesky_batch_solve, clsolve_cholesky_batch_factors, clsolve_cholesky_batch_inverse, &
        clsolve_cholesky_batch_factor_enqueue, clsolve_cholesky_batch_solve_enqueue, &
        clsolve_cholesky_batch_inverse_enqueue, clsolve_cholesky_batch_status, clsolve_cholesky_batch_report, &
        clsolve_cholesky_batch_destroy, clsolve_ldl_create, clsolve_ldl_factor, clsolve_ldl_solve, &
        clsolve_ldl_inertia, clsolve_ldl_factors, clsolve_ldl_import, clsolve_ldl_condition, clsolve_ldl_inverse, &
        clsolve_ldl_predict, clsolve_ldl_warm, clsolve_ldl_is_warm, clsolve_ldl_factor_enqueue, &
        clsolve_ldl_solve_enqueue, clsolve_ldl_status, clsolve_ldl_report, clsolve_ldl_destroy, &
        clsolve_gauss_jordan_create, clsolve_gauss_jordan_solve, clsolve_gauss_jordan_invert, &
        clsolve_gauss_jordan_solve_enqueue, clsolve_gauss_jordan_invert_enqueue, clsolve_gauss_jordan_status, &
        clsolve_gauss_jordan_report, clsolve_gauss_jordan_destroy, clsolve_gauss_jordan_batch_create, &
        clsolve_gauss_jordan_batch_invert, clsolve_gauss_jordan_batch_solve, &
        clsolve_gauss_jordan_batch_invert_enqueue, clsolve_gauss_jordan_batch_solve_enqueue, &
        clsolve_gauss_jordan_batch_status, clsolve_gauss_jordan_batch_report, clsolve_gauss_jordan_batch_destroy, &
        clsolve_band_create, clsolve_band_factor, clsolve_band_factor_csr, clsolve_band_solve, &
        clsolve_band_factors, clsolve_band_import, clsolve_band_condition, clsolve_band_factor_enqueue, &
        clsolve_band_solve_enqueue, clsolve_band_status, clsolve_band_report, clsolve_band_factor_in_place, &
        clsolve_band_predict, clsolve_band_warm, clsolve_band_is_warm, clsolve_band_destroy, &
        clsolve_band_batch_create, clsolve_band_batch_factor, clsolve_band_batch_solve, clsolve_band_batch_factors, &
        clsolve_band_batch_factor_enqueue, clsolve_band_batch_solve_enqueue, clsolve_band_batch_status, &
        clsolve_band_batch_report, clsolve_band_batch_destroy, clsolve_band_cholesky_create, &
        clsolve_band_cholesky_factor, clsolve_band_cholesky_solve, clsolve_band_cholesky_factors, &
        clsolve_band_cholesky_import, clsolve_band_cholesky_condition, clsolve_band_cholesky_report, &
        clsolve_band_cholesky_destroy, clsolve_tridiagonal_batch_create, clsolve_tridiagonal_batch_factor, &
        clsolve_tridiagonal_batch_solve, clsolve_tridiagonal_batch_factor_enqueue, &
        clsolve_tridiagonal_batch_solve_enqueue, clsolve_tridiagonal_batch_status, &
        clsolve_tridiagonal_batch_report, clsolve_tridiagonal_batch_destroy, clsolve_block_gs_create, &
        clsolve_block_gs_factor, clsolve_block_gs_solve, clsolve_block_gs_factor_enqueue, &
        clsolve_block_gs_solve_enqueue, clsolve_block_gs_status, clsolve_block_gs_report, clsolve_block_gs_destroy, &
        clsolve_grid_slab_create, clsolve_grid_slab_put_coefficients, clsolve_grid_slab_get_coefficients, &
        clsolve_grid_slab_factor, clsolve_grid_slab_coarsen, clsolve_grid_slab_put, clsolve_grid_slab_get, &
        clsolve_grid_slab_half_sweep, clsolve_grid_slab_residual, clsolve_grid_slab_restrict, &
        clsolve_grid_slab_prolong, clsolve_grid_slab_report, clsolve_grid_slab_destroy, clsolve_sparse_create_csr, &
        clsolve_sparse_factor_csr, clsolve_sparse_factor_values, clsolve_sparse_solve, clsolve_sparse_get_analysis, &
        clsolve_sparse_permutations, clsolve_sparse_inertia, clsolve_sparse_factor_values_enqueue, &
        clsolve_sparse_solve_enqueue, clsolve_sparse_status, clsolve_sparse_report, clsolve_sparse_destroy, &
        clsolve_solve, clsolve_solve_csr, clsolve_solver_create, clsolve_solver_create_csr, clsolve_solver_factor, &
        clsolve_solver_factor_csr, clsolve_solver_solve, clsolve_solver_report, clsolve_solver_sparse_analysis, &
        clsolve_solver_sparse_permutations, clsolve_solver_destroy, clsolve_sparse_batch_create_csr, &
        clsolve_sparse_batch_factor, clsolve_sparse_batch_solve, clsolve_sparse_batch_determinant, &
        clsolve_sparse_batch_get_analysis, clsolve_sparse_batch_factor_enqueue, clsolve_sparse_batch_solve_enqueue, &
        clsolve_sparse_batch_status, clsolve_sparse_batch_report, clsolve_sparse_batch_destroy, clsolve_tune, &
        clsolve_tune_describe, clsolve_tune_share, clsolve_tune_share_type, clsolve_calibrate, clsolve_version, &
        clsolve_context_create_opencl, clsolve_context_follow_opencl, clsolve_context_create_cuda, &
        clsolve_context_follow_cuda

    ! The kinds and types of iso_c_binding that the calls speak of. Its procedures are not among them: gfortran 12 stops
    ! at c_associated(p, c_loc(a)) with an internal error when both come through another module.
    public :: c_char, c_double, c_double_complex, c_float, c_float_complex, c_funptr, c_int, c_int32_t, c_int64_t
    public :: c_null_char, c_null_funptr, c_null_ptr, c_ptr, c_size_t

    ! x = clsolve_solve(a, b, status): a is a square array or a view of a sparse matrix, b a vector or a matrix.
    interface clsolve_solve
        module procedure solve_f32_1
        module procedure solve_csr_f32_1
        module procedure solve_f32_2
        module procedure solve_csr_f32_2
        module procedure solve_f64_1
        module procedure solve_csr_f64_1
        module procedure solve_f64_2
        module procedure solve_csr_f64_2
        module procedure solve_c32_1
        module procedure solve_csr_c32_1
        module procedure solve_c32_2
        module procedure solve_csr_c32_2
        module procedure solve_c64_1
        module procedure solve_csr_c64_1
        module procedure solve_c64_2
        module procedure solve_csr_c64_2
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


    ! Views of the caller's arrays, which need the attribute `target`. A shape or a stride that the library cannot take
    ! gives a view that every call refuses with CLSOLVE_ERROR_INVALID_ARGUMENT.
    interface clsolve_matrix_of
        module procedure matrix_of_f32_1
        module procedure matrix_of_f32_2
        module procedure matrix_of_f64_1
        module procedure matrix_of_f64_2
        module procedure matrix_of_c32_1
        module procedure matrix_of_c32_2
        module procedure matrix_of_c64_1
        module procedure matrix_of_c64_2
    end interface clsolve_matrix_of

    interface clsolve_csr_of
        module procedure csr_of_i32_f32
        module procedure csr_of_i32_f64
        module procedure csr_of_i32_c32
        module procedure csr_of_i32_c64
        module procedure csr_of_i64_f32
        module procedure csr_of_i64_f64
        module procedure csr_of_i64_c32
        module procedure csr_of_i64_c64
    end interface clsolve_csr_of

    interface clsolve_batch_of
        module procedure batch_of_f32_2
        module procedure batch_of_f32_3
        module procedure batch_of_f64_2
        module procedure batch_of_f64_3
        module procedure batch_of_c32_2
        module procedure batch_of_c32_3
        module procedure batch_of_c64_2
        module procedure batch_of_c64_3
    end interface clsolve_batch_of

    interface clsolve_grid_of
        module procedure grid_of_f32_2
        module procedure grid_of_f32_3
        module procedure grid_of_f64_2
        module procedure grid_of_f64_3
        module procedure grid_of_c32_2
        module procedure grid_of_c32_3
        module procedure grid_of_c64_2
        module procedure grid_of_c64_3
    end interface clsolve_grid_of

    public :: clsolve_matrix_of, clsolve_csr_of, clsolve_batch_of, clsolve_grid_of

contains

    subroutine context_check_cache_m(self, status)
        class(clsolve_context), intent(in) :: self
        integer(c_int), intent(out) :: status

        status = clsolve_context_check_cache(self%handle)
    end subroutine context_check_cache_m

    subroutine context_try_lock_m(self, status)
        class(clsolve_context), intent(in) :: self
        integer(c_int), intent(out) :: status

        status = clsolve_context_try_lock(self%handle)
    end subroutine context_try_lock_m

    subroutine context_unlock_m(self)
        class(clsolve_context), intent(in) :: self

        call clsolve_context_unlock(self%handle)
    end subroutine context_unlock_m

    function context_device_m(self) result(outcome)
        class(clsolve_context), intent(in) :: self
        type(clsolve_device_info) :: outcome

        outcome = clsolve_context_device(self%handle)
    end function context_device_m

    function context_device_count_m(self) result(outcome)
        class(clsolve_context), intent(in) :: self
        integer(c_int64_t) :: outcome

        outcome = clsolve_context_device_count(self%handle)
    end function context_device_count_m

    function context_share_at_m(self, i) result(outcome)
        class(clsolve_context), intent(in) :: self
        integer(c_int64_t), intent(in) :: i
        real(c_double) :: outcome

        outcome = clsolve_context_share_at(self%handle, i)
    end function context_share_at_m

    function context_device_at_m(self, i) result(outcome)
        class(clsolve_context), intent(in) :: self
        integer(c_int64_t), intent(in) :: i
        type(clsolve_device_info) :: outcome

        outcome = clsolve_context_device_at(self%handle, i)
    end function context_device_at_m

    subroutine context_destroy_m(self)
        class(clsolve_context), intent(inout) :: self

        self%handle = c_null_ptr
        call self%leave()
    end subroutine context_destroy_m

    impure elemental subroutine context_final(self)
        type(clsolve_context), intent(inout) :: self

        call self%destroy()
    end subroutine context_final

    subroutine lu_create_m(self, context, n, type, status, options)
        class(clsolve_lu), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int64_t), intent(in) :: n
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_lu_options), intent(in), optional :: options

        call self%destroy()
        call self%join(context, status)
        if (status /= CLSOLVE_OK) return
        status = clsolve_lu_create(context%handle, n, type, options, self%handle)
    end subroutine lu_create_m

    subroutine lu_create_i(self, context, n, type, status, options)
        class(clsolve_lu), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int32_t), intent(in) :: n
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_lu_options), intent(in), optional :: options

        call lu_create_m(self, context, int(n, c_int64_t), type, status, options)
    end subroutine lu_create_i

    subroutine lu_factor_m(self, A, status)
        class(clsolve_lu), intent(in) :: self
        type(clsolve_matrix), intent(in) :: A
        integer(c_int), intent(out) :: status

        status = clsolve_lu_factor(self%handle, A)
    end subroutine lu_factor_m

    subroutine lu_factor_csr_m(self, A, status, rows, columns)
        class(clsolve_lu), intent(in) :: self
        type(clsolve_csr), intent(in) :: A
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(in), optional :: rows(*)
        integer(c_int64_t), intent(in), optional :: columns(*)

        status = clsolve_lu_factor_csr(self%handle, A, rows, columns)
    end subroutine lu_factor_csr_m

    subroutine lu_solve_m(self, op, B, status)
        class(clsolve_lu), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_matrix), intent(in) :: B
        integer(c_int), intent(out) :: status

        status = clsolve_lu_solve(self%handle, op, B)
    end subroutine lu_solve_m

    subroutine lu_factors_m(self, LU, status, ipiv)
        class(clsolve_lu), intent(in) :: self
        type(clsolve_matrix), intent(in) :: LU
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: ipiv(*)

        status = clsolve_lu_factors(self%handle, LU, ipiv)
    end subroutine lu_factors_m

    subroutine lu_import_m(self, LU, status, ipiv)
        class(clsolve_lu), intent(in) :: self
        type(clsolve_matrix), intent(in) :: LU
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(in), optional :: ipiv(*)

        status = clsolve_lu_import(self%handle, LU, ipiv)
    end subroutine lu_import_m

    subroutine lu_condition_m(self, norm, norm_A, rcond, status)
        class(clsolve_lu), intent(in) :: self
        integer(c_int), intent(in) :: norm
        real(c_double), intent(in) :: norm_A
        real(c_double), intent(inout) :: rcond
        integer(c_int), intent(out) :: status

        status = clsolve_lu_condition(self%handle, norm, norm_A, rcond)
    end subroutine lu_condition_m

    subroutine lu_inverse_m(self, X, status)
        class(clsolve_lu), intent(in) :: self
        type(clsolve_matrix), intent(in) :: X
        integer(c_int), intent(out) :: status

        status = clsolve_lu_inverse(self%handle, X)
    end subroutine lu_inverse_m

    subroutine lu_refine_m(self, op, A, B, X, status, ferr, berr)
        class(clsolve_lu), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_matrix), intent(in) :: A
        type(clsolve_matrix), intent(in) :: B
        type(clsolve_matrix), intent(in) :: X
        integer(c_int), intent(out) :: status
        real(c_double), intent(inout), optional :: ferr(*)
        real(c_double), intent(inout), optional :: berr(*)

        status = clsolve_lu_refine(self%handle, op, A, B, X, ferr, berr)
    end subroutine lu_refine_m

    subroutine lu_factor_enqueue_m(self, A, status, events)
        class(clsolve_lu), intent(in) :: self
        type(clsolve_matrix), intent(in) :: A
        integer(c_int), intent(out) :: status
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_lu_factor_enqueue(self%handle, A, events)
    end subroutine lu_factor_enqueue_m

    subroutine lu_solve_enqueue_m(self, op, B, status, events)
        class(clsolve_lu), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_matrix), intent(in) :: B
        integer(c_int), intent(out) :: status
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_lu_solve_enqueue(self%handle, op, B, events)
    end subroutine lu_solve_enqueue_m

    subroutine lu_status_m(self, status)
        class(clsolve_lu), intent(in) :: self
        integer(c_int), intent(out) :: status

        status = clsolve_lu_status(self%handle)
    end subroutine lu_status_m

    subroutine lu_report_m(self, report, status)
        class(clsolve_lu), intent(in) :: self
        type(clsolve_report), intent(inout) :: report
        integer(c_int), intent(out) :: status

        status = clsolve_lu_report(self%handle, report)
    end subroutine lu_report_m

    subroutine lu_destroy_m(self)
        class(clsolve_lu), intent(inout) :: self

        call clsolve_lu_destroy(self%handle)
        self%handle = c_null_ptr
        call self%leave()
    end subroutine lu_destroy_m

    impure elemental subroutine lu_final(self)
        type(clsolve_lu), intent(inout) :: self

        call self%destroy()
    end subroutine lu_final

    subroutine lu_batch_create_m(self, context, n, count, type, status, options)
        class(clsolve_lu_batch), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int64_t), intent(in) :: n
        integer(c_int64_t), intent(in) :: count
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_lu_batch_options), intent(in), optional :: options

        call self%destroy()
        call self%join(context, status)
        if (status /= CLSOLVE_OK) return
        status = clsolve_lu_batch_create(context%handle, n, count, type, options, self%handle)
    end subroutine lu_batch_create_m

    subroutine lu_batch_create_i(self, context, n, count, type, status, options)
        class(clsolve_lu_batch), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int32_t), intent(in) :: n
        integer(c_int32_t), intent(in) :: count
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_lu_batch_options), intent(in), optional :: options

        call lu_batch_create_m(self, context, int(n, c_int64_t), int(count, c_int64_t), type, status, options)
    end subroutine lu_batch_create_i

    subroutine lu_batch_create_ragged_m(self, context, count, type, status, orders, options)
        class(clsolve_lu_batch), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int64_t), intent(in) :: count
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(in), optional :: orders(*)
        type(clsolve_lu_batch_options), intent(in), optional :: options

        call self%destroy()
        call self%join(context, status)
        if (status /= CLSOLVE_OK) return
        status = clsolve_lu_batch_create_ragged(context%handle, orders, count, type, options, self%handle)
    end subroutine lu_batch_create_ragged_m

    subroutine lu_batch_create_ragged_i(self, context, count, type, status, orders, options)
        class(clsolve_lu_batch), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int32_t), intent(in) :: count
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(in), optional :: orders(*)
        type(clsolve_lu_batch_options), intent(in), optional :: options

        call lu_batch_create_ragged_m(self, context, int(count, c_int64_t), type, status, orders, options)
    end subroutine lu_batch_create_ragged_i

    subroutine lu_batch_factor_m(self, A, status, info)
        class(clsolve_lu_batch), intent(in) :: self
        type(clsolve_batch), intent(in) :: A
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)

        status = clsolve_lu_batch_factor(self%handle, A, info)
    end subroutine lu_batch_factor_m

    subroutine lu_batch_solve_m(self, op, B, status, info)
        class(clsolve_lu_batch), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_batch), intent(in) :: B
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)

        status = clsolve_lu_batch_solve(self%handle, op, B, info)
    end subroutine lu_batch_solve_m

    subroutine lu_batch_inverse_m(self, X, status, info)
        class(clsolve_lu_batch), intent(in) :: self
        type(clsolve_batch), intent(in) :: X
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)

        status = clsolve_lu_batch_inverse(self%handle, X, info)
    end subroutine lu_batch_inverse_m

    subroutine lu_batch_determinant_m(self, status, det, sign, log_abs)
        class(clsolve_lu_batch), intent(in) :: self
        integer(c_int), intent(out) :: status
        real(c_double), intent(inout), optional :: det(*)
        real(c_double), intent(inout), optional :: sign(*)
        real(c_double), intent(inout), optional :: log_abs(*)

        status = clsolve_lu_batch_determinant(self%handle, det, sign, log_abs)
    end subroutine lu_batch_determinant_m

    subroutine lu_batch_condition_m(self, status, rconds)
        class(clsolve_lu_batch), intent(in) :: self
        integer(c_int), intent(out) :: status
        real(c_double), intent(inout), optional :: rconds(*)

        status = clsolve_lu_batch_condition(self%handle, rconds)
    end subroutine lu_batch_condition_m

    subroutine lu_batch_factors_m(self, F, status, ipiv)
        class(clsolve_lu_batch), intent(in) :: self
        type(clsolve_batch), intent(in) :: F
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: ipiv(*)

        status = clsolve_lu_batch_factors(self%handle, F, ipiv)
    end subroutine lu_batch_factors_m

    subroutine lu_batch_factor_enqueue_m(self, A, status, info, events)
        class(clsolve_lu_batch), intent(in) :: self
        type(clsolve_batch), intent(in) :: A
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_lu_batch_factor_enqueue(self%handle, A, info, events)
    end subroutine lu_batch_factor_enqueue_m

    subroutine lu_batch_solve_enqueue_m(self, op, B, status, info, events)
        class(clsolve_lu_batch), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_batch), intent(in) :: B
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_lu_batch_solve_enqueue(self%handle, op, B, info, events)
    end subroutine lu_batch_solve_enqueue_m

    subroutine lu_batch_inverse_enqueue_m(self, X, status, info, events)
        class(clsolve_lu_batch), intent(in) :: self
        type(clsolve_batch), intent(in) :: X
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_lu_batch_inverse_enqueue(self%handle, X, info, events)
    end subroutine lu_batch_inverse_enqueue_m

    subroutine lu_batch_status_m(self, status)
        class(clsolve_lu_batch), intent(in) :: self
        integer(c_int), intent(out) :: status

        status = clsolve_lu_batch_status(self%handle)
    end subroutine lu_batch_status_m

    subroutine lu_batch_report_m(self, report, status)
        class(clsolve_lu_batch), intent(in) :: self
        type(clsolve_report), intent(inout) :: report
        integer(c_int), intent(out) :: status

        status = clsolve_lu_batch_report(self%handle, report)
    end subroutine lu_batch_report_m

    subroutine lu_batch_destroy_m(self)
        class(clsolve_lu_batch), intent(inout) :: self

        call clsolve_lu_batch_destroy(self%handle)
        self%handle = c_null_ptr
        call self%leave()
    end subroutine lu_batch_destroy_m

    impure elemental subroutine lu_batch_final(self)
        type(clsolve_lu_batch), intent(inout) :: self

        call self%destroy()
    end subroutine lu_batch_final

    subroutine cholesky_create_m(self, context, n, type, status, options)
        class(clsolve_cholesky), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int64_t), intent(in) :: n
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_cholesky_options), intent(in), optional :: options

        call self%destroy()
        call self%join(context, status)
        if (status /= CLSOLVE_OK) return
        status = clsolve_cholesky_create(context%handle, n, type, options, self%handle)
    end subroutine cholesky_create_m

    subroutine cholesky_create_i(self, context, n, type, status, options)
        class(clsolve_cholesky), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int32_t), intent(in) :: n
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_cholesky_options), intent(in), optional :: options

        call cholesky_create_m(self, context, int(n, c_int64_t), type, status, options)
    end subroutine cholesky_create_i

    subroutine cholesky_factor_m(self, uplo, A, status)
        class(clsolve_cholesky), intent(in) :: self
        integer(c_int), intent(in) :: uplo
        type(clsolve_matrix), intent(in) :: A
        integer(c_int), intent(out) :: status

        status = clsolve_cholesky_factor(self%handle, uplo, A)
    end subroutine cholesky_factor_m

    subroutine cholesky_solve_m(self, B, status)
        class(clsolve_cholesky), intent(in) :: self
        type(clsolve_matrix), intent(in) :: B
        integer(c_int), intent(out) :: status

        status = clsolve_cholesky_solve(self%handle, B)
    end subroutine cholesky_solve_m

    subroutine cholesky_factors_m(self, uplo, F, status)
        class(clsolve_cholesky), intent(in) :: self
        integer(c_int), intent(in) :: uplo
        type(clsolve_matrix), intent(in) :: F
        integer(c_int), intent(out) :: status

        status = clsolve_cholesky_factors(self%handle, uplo, F)
    end subroutine cholesky_factors_m

    subroutine cholesky_import_m(self, uplo, F, status)
        class(clsolve_cholesky), intent(in) :: self
        integer(c_int), intent(in) :: uplo
        type(clsolve_matrix), intent(in) :: F
        integer(c_int), intent(out) :: status

        status = clsolve_cholesky_import(self%handle, uplo, F)
    end subroutine cholesky_import_m

    subroutine cholesky_condition_m(self, norm_A, rcond, status)
        class(clsolve_cholesky), intent(in) :: self
        real(c_double), intent(in) :: norm_A
        real(c_double), intent(inout) :: rcond
        integer(c_int), intent(out) :: status

        status = clsolve_cholesky_condition(self%handle, norm_A, rcond)
    end subroutine cholesky_condition_m

    subroutine cholesky_inverse_m(self, uplo, X, status)
        class(clsolve_cholesky), intent(in) :: self
        integer(c_int), intent(in) :: uplo
        type(clsolve_matrix), intent(in) :: X
        integer(c_int), intent(out) :: status

        status = clsolve_cholesky_inverse(self%handle, uplo, X)
    end subroutine cholesky_inverse_m

    subroutine cholesky_factor_enqueue_m(self, uplo, A, status, events)
        class(clsolve_cholesky), intent(in) :: self
        integer(c_int), intent(in) :: uplo
        type(clsolve_matrix), intent(in) :: A
        integer(c_int), intent(out) :: status
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_cholesky_factor_enqueue(self%handle, uplo, A, events)
    end subroutine cholesky_factor_enqueue_m

    subroutine cholesky_solve_enqueue_m(self, B, status, events)
        class(clsolve_cholesky), intent(in) :: self
        type(clsolve_matrix), intent(in) :: B
        integer(c_int), intent(out) :: status
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_cholesky_solve_enqueue(self%handle, B, events)
    end subroutine cholesky_solve_enqueue_m

    subroutine cholesky_status_m(self, status)
        class(clsolve_cholesky), intent(in) :: self
        integer(c_int), intent(out) :: status

        status = clsolve_cholesky_status(self%handle)
    end subroutine cholesky_status_m

    subroutine cholesky_report_m(self, report, status)
        class(clsolve_cholesky), intent(in) :: self
        type(clsolve_report), intent(inout) :: report
        integer(c_int), intent(out) :: status

        status = clsolve_cholesky_report(self%handle, report)
    end subroutine cholesky_report_m

    subroutine cholesky_destroy_m(self)
        class(clsolve_cholesky), intent(inout) :: self

        call clsolve_cholesky_destroy(self%handle)
        self%handle = c_null_ptr
        call self%leave()
    end subroutine cholesky_destroy_m

    impure elemental subroutine cholesky_final(self)
        type(clsolve_cholesky), intent(inout) :: self

        call self%destroy()
    end subroutine cholesky_final

    subroutine cholesky_batch_create_m(self, context, n, count, type, status, options)
        class(clsolve_cholesky_batch), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int64_t), intent(in) :: n
        integer(c_int64_t), intent(in) :: count
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_cholesky_batch_options), intent(in), optional :: options

        call self%destroy()
        call self%join(context, status)
        if (status /= CLSOLVE_OK) return
        status = clsolve_cholesky_batch_create(context%handle, n, count, type, options, self%handle)
    end subroutine cholesky_batch_create_m

    subroutine cholesky_batch_create_i(self, context, n, count, type, status, options)
        class(clsolve_cholesky_batch), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int32_t), intent(in) :: n
        integer(c_int32_t), intent(in) :: count
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_cholesky_batch_options), intent(in), optional :: options

        call cholesky_batch_create_m(self, context, int(n, c_int64_t), int(count, c_int64_t), type, status, options)
    end subroutine cholesky_batch_create_i

    subroutine cholesky_batch_create_ragged_m(self, context, count, type, status, orders, options)
        class(clsolve_cholesky_batch), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int64_t), intent(in) :: count
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(in), optional :: orders(*)
        type(clsolve_cholesky_batch_options), intent(in), optional :: options

        call self%destroy()
        call self%join(context, status)
        if (status /= CLSOLVE_OK) return
        status = clsolve_cholesky_batch_create_ragged(context%handle, orders, count, type, options, self%handle)
    end subroutine cholesky_batch_create_ragged_m

    subroutine cholesky_batch_create_ragged_i(self, context, count, type, status, orders, options)
        class(clsolve_cholesky_batch), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int32_t), intent(in) :: count
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(in), optional :: orders(*)
        type(clsolve_cholesky_batch_options), intent(in), optional :: options

        call cholesky_batch_create_ragged_m(self, context, int(count, c_int64_t), type, status, orders, options)
    end subroutine cholesky_batch_create_ragged_i

    subroutine cholesky_batch_factor_m(self, uplo, A, status, info)
        class(clsolve_cholesky_batch), intent(in) :: self
        integer(c_int), intent(in) :: uplo
        type(clsolve_batch), intent(in) :: A
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)

        status = clsolve_cholesky_batch_factor(self%handle, uplo, A, info)
    end subroutine cholesky_batch_factor_m

    subroutine cholesky_batch_solve_m(self, B, status, info)
        class(clsolve_cholesky_batch), intent(in) :: self
        type(clsolve_batch), intent(in) :: B
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)

        status = clsolve_cholesky_batch_solve(self%handle, B, info)
    end subroutine cholesky_batch_solve_m

    subroutine cholesky_batch_factors_m(self, uplo, F, status)
        class(clsolve_cholesky_batch), intent(in) :: self
        integer(c_int), intent(in) :: uplo
        type(clsolve_batch), intent(in) :: F
        integer(c_int), intent(out) :: status

        status = clsolve_cholesky_batch_factors(self%handle, uplo, F)
    end subroutine cholesky_batch_factors_m

    subroutine cholesky_batch_inverse_m(self, uplo, X, status, info)
        class(clsolve_cholesky_batch), intent(in) :: self
        integer(c_int), intent(in) :: uplo
        type(clsolve_batch), intent(in) :: X
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)

        status = clsolve_cholesky_batch_inverse(self%handle, uplo, X, info)
    end subroutine cholesky_batch_inverse_m

    subroutine cholesky_batch_factor_enqueue_m(self, uplo, A, status, info, events)
        class(clsolve_cholesky_batch), intent(in) :: self
        integer(c_int), intent(in) :: uplo
        type(clsolve_batch), intent(in) :: A
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_cholesky_batch_factor_enqueue(self%handle, uplo, A, info, events)
    end subroutine cholesky_batch_factor_enqueue_m

    subroutine cholesky_batch_solve_enqueue_m(self, B, status, info, events)
        class(clsolve_cholesky_batch), intent(in) :: self
        type(clsolve_batch), intent(in) :: B
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_cholesky_batch_solve_enqueue(self%handle, B, info, events)
    end subroutine cholesky_batch_solve_enqueue_m

    subroutine cholesky_batch_inverse_enqueue_m(self, uplo, X, status, info, events)
        class(clsolve_cholesky_batch), intent(in) :: self
        integer(c_int), intent(in) :: uplo
        type(clsolve_batch), intent(in) :: X
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_cholesky_batch_inverse_enqueue(self%handle, uplo, X, info, events)
    end subroutine cholesky_batch_inverse_enqueue_m

    subroutine cholesky_batch_status_m(self, status)
        class(clsolve_cholesky_batch), intent(in) :: self
        integer(c_int), intent(out) :: status

        status = clsolve_cholesky_batch_status(self%handle)
    end subroutine cholesky_batch_status_m

    subroutine cholesky_batch_report_m(self, report, status)
        class(clsolve_cholesky_batch), intent(in) :: self
        type(clsolve_report), intent(inout) :: report
        integer(c_int), intent(out) :: status

        status = clsolve_cholesky_batch_report(self%handle, report)
    end subroutine cholesky_batch_report_m

    subroutine cholesky_batch_destroy_m(self)
        class(clsolve_cholesky_batch), intent(inout) :: self

        call clsolve_cholesky_batch_destroy(self%handle)
        self%handle = c_null_ptr
        call self%leave()
    end subroutine cholesky_batch_destroy_m

    impure elemental subroutine cholesky_batch_final(self)
        type(clsolve_cholesky_batch), intent(inout) :: self

        call self%destroy()
    end subroutine cholesky_batch_final

    subroutine ldl_create_m(self, context, n, type, status, options)
        class(clsolve_ldl), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int64_t), intent(in) :: n
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_ldl_options), intent(in), optional :: options

        call self%destroy()
        call self%join(context, status)
        if (status /= CLSOLVE_OK) return
        status = clsolve_ldl_create(context%handle, n, type, options, self%handle)
    end subroutine ldl_create_m

    subroutine ldl_create_i(self, context, n, type, status, options)
        class(clsolve_ldl), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int32_t), intent(in) :: n
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_ldl_options), intent(in), optional :: options

        call ldl_create_m(self, context, int(n, c_int64_t), type, status, options)
    end subroutine ldl_create_i

    subroutine ldl_factor_m(self, uplo, A, status)
        class(clsolve_ldl), intent(in) :: self
        integer(c_int), intent(in) :: uplo
        type(clsolve_matrix), intent(in) :: A
        integer(c_int), intent(out) :: status

        status = clsolve_ldl_factor(self%handle, uplo, A)
    end subroutine ldl_factor_m

    subroutine ldl_solve_m(self, B, status)
        class(clsolve_ldl), intent(in) :: self
        type(clsolve_matrix), intent(in) :: B
        integer(c_int), intent(out) :: status

        status = clsolve_ldl_solve(self%handle, B)
    end subroutine ldl_solve_m

    subroutine ldl_inertia_m(self, inertia, status)
        class(clsolve_ldl), intent(in) :: self
        type(clsolve_inertia), intent(inout) :: inertia
        integer(c_int), intent(out) :: status

        status = clsolve_ldl_inertia(self%handle, inertia)
    end subroutine ldl_inertia_m

    subroutine ldl_factors_m(self, F, status, ipiv)
        class(clsolve_ldl), intent(in) :: self
        type(clsolve_matrix), intent(in) :: F
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: ipiv(*)

        status = clsolve_ldl_factors(self%handle, F, ipiv)
    end subroutine ldl_factors_m

    subroutine ldl_import_m(self, F, status, ipiv)
        class(clsolve_ldl), intent(in) :: self
        type(clsolve_matrix), intent(in) :: F
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(in), optional :: ipiv(*)

        status = clsolve_ldl_import(self%handle, F, ipiv)
    end subroutine ldl_import_m

    subroutine ldl_condition_m(self, norm_A, rcond, status)
        class(clsolve_ldl), intent(in) :: self
        real(c_double), intent(in) :: norm_A
        real(c_double), intent(inout) :: rcond
        integer(c_int), intent(out) :: status

        status = clsolve_ldl_condition(self%handle, norm_A, rcond)
    end subroutine ldl_condition_m

    subroutine ldl_inverse_m(self, uplo, X, status)
        class(clsolve_ldl), intent(in) :: self
        integer(c_int), intent(in) :: uplo
        type(clsolve_matrix), intent(in) :: X
        integer(c_int), intent(out) :: status

        status = clsolve_ldl_inverse(self%handle, uplo, X)
    end subroutine ldl_inverse_m

    subroutine ldl_factor_enqueue_m(self, uplo, A, status, events)
        class(clsolve_ldl), intent(in) :: self
        integer(c_int), intent(in) :: uplo
        type(clsolve_matrix), intent(in) :: A
        integer(c_int), intent(out) :: status
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_ldl_factor_enqueue(self%handle, uplo, A, events)
    end subroutine ldl_factor_enqueue_m

    subroutine ldl_solve_enqueue_m(self, B, status, events)
        class(clsolve_ldl), intent(in) :: self
        type(clsolve_matrix), intent(in) :: B
        integer(c_int), intent(out) :: status
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_ldl_solve_enqueue(self%handle, B, events)
    end subroutine ldl_solve_enqueue_m

    subroutine ldl_status_m(self, status)
        class(clsolve_ldl), intent(in) :: self
        integer(c_int), intent(out) :: status

        status = clsolve_ldl_status(self%handle)
    end subroutine ldl_status_m

    subroutine ldl_report_m(self, report, status)
        class(clsolve_ldl), intent(in) :: self
        type(clsolve_report), intent(inout) :: report
        integer(c_int), intent(out) :: status

        status = clsolve_ldl_report(self%handle, report)
    end subroutine ldl_report_m

    subroutine ldl_destroy_m(self)
        class(clsolve_ldl), intent(inout) :: self

        call clsolve_ldl_destroy(self%handle)
        self%handle = c_null_ptr
        call self%leave()
    end subroutine ldl_destroy_m

    impure elemental subroutine ldl_final(self)
        type(clsolve_ldl), intent(inout) :: self

        call self%destroy()
    end subroutine ldl_final

    subroutine gauss_jordan_create_m(self, context, n, type, status, options)
        class(clsolve_gauss_jordan), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int64_t), intent(in) :: n
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_gauss_jordan_options), intent(in), optional :: options

        call self%destroy()
        call self%join(context, status)
        if (status /= CLSOLVE_OK) return
        status = clsolve_gauss_jordan_create(context%handle, n, type, options, self%handle)
    end subroutine gauss_jordan_create_m

    subroutine gauss_jordan_create_i(self, context, n, type, status, options)
        class(clsolve_gauss_jordan), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int32_t), intent(in) :: n
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_gauss_jordan_options), intent(in), optional :: options

        call gauss_jordan_create_m(self, context, int(n, c_int64_t), type, status, options)
    end subroutine gauss_jordan_create_i

    subroutine gauss_jordan_solve_m(self, op, A, B, status)
        class(clsolve_gauss_jordan), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_matrix), intent(in) :: A
        type(clsolve_matrix), intent(in) :: B
        integer(c_int), intent(out) :: status

        status = clsolve_gauss_jordan_solve(self%handle, op, A, B)
    end subroutine gauss_jordan_solve_m

    subroutine gauss_jordan_invert_m(self, A, X, status)
        class(clsolve_gauss_jordan), intent(in) :: self
        type(clsolve_matrix), intent(in) :: A
        type(clsolve_matrix), intent(in) :: X
        integer(c_int), intent(out) :: status

        status = clsolve_gauss_jordan_invert(self%handle, A, X)
    end subroutine gauss_jordan_invert_m

    subroutine gauss_jordan_solve_enqueue_m(self, op, A, B, status, events)
        class(clsolve_gauss_jordan), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_matrix), intent(in) :: A
        type(clsolve_matrix), intent(in) :: B
        integer(c_int), intent(out) :: status
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_gauss_jordan_solve_enqueue(self%handle, op, A, B, events)
    end subroutine gauss_jordan_solve_enqueue_m

    subroutine gauss_jordan_invert_enqueue_m(self, A, X, status, events)
        class(clsolve_gauss_jordan), intent(in) :: self
        type(clsolve_matrix), intent(in) :: A
        type(clsolve_matrix), intent(in) :: X
        integer(c_int), intent(out) :: status
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_gauss_jordan_invert_enqueue(self%handle, A, X, events)
    end subroutine gauss_jordan_invert_enqueue_m

    subroutine gauss_jordan_status_m(self, status)
        class(clsolve_gauss_jordan), intent(in) :: self
        integer(c_int), intent(out) :: status

        status = clsolve_gauss_jordan_status(self%handle)
    end subroutine gauss_jordan_status_m

    subroutine gauss_jordan_report_m(self, report, status)
        class(clsolve_gauss_jordan), intent(in) :: self
        type(clsolve_report), intent(inout) :: report
        integer(c_int), intent(out) :: status

        status = clsolve_gauss_jordan_report(self%handle, report)
    end subroutine gauss_jordan_report_m

    subroutine gauss_jordan_destroy_m(self)
        class(clsolve_gauss_jordan), intent(inout) :: self

        call clsolve_gauss_jordan_destroy(self%handle)
        self%handle = c_null_ptr
        call self%leave()
    end subroutine gauss_jordan_destroy_m

    impure elemental subroutine gauss_jordan_final(self)
        type(clsolve_gauss_jordan), intent(inout) :: self

        call self%destroy()
    end subroutine gauss_jordan_final

    subroutine gauss_jordan_batch_create_m(self, context, n, count, type, status, options)
        class(clsolve_gauss_jordan_batch), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int64_t), intent(in) :: n
        integer(c_int64_t), intent(in) :: count
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_gauss_jordan_batch_options), intent(in), optional :: options

        call self%destroy()
        call self%join(context, status)
        if (status /= CLSOLVE_OK) return
        status = clsolve_gauss_jordan_batch_create(context%handle, n, count, type, options, self%handle)
    end subroutine gauss_jordan_batch_create_m

    subroutine gauss_jordan_batch_create_i(self, context, n, count, type, status, options)
        class(clsolve_gauss_jordan_batch), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int32_t), intent(in) :: n
        integer(c_int32_t), intent(in) :: count
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_gauss_jordan_batch_options), intent(in), optional :: options

        call gauss_jordan_batch_create_m(self, context, int(n, c_int64_t), int(count, c_int64_t), type, status, &
            options)
    end subroutine gauss_jordan_batch_create_i

    subroutine gauss_jordan_batch_invert_m(self, A, X, status, info)
        class(clsolve_gauss_jordan_batch), intent(in) :: self
        type(clsolve_batch), intent(in) :: A
        type(clsolve_batch), intent(in) :: X
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)

        status = clsolve_gauss_jordan_batch_invert(self%handle, A, X, info)
    end subroutine gauss_jordan_batch_invert_m

    subroutine gauss_jordan_batch_solve_m(self, op, A, B, status, info)
        class(clsolve_gauss_jordan_batch), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_batch), intent(in) :: A
        type(clsolve_batch), intent(in) :: B
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)

        status = clsolve_gauss_jordan_batch_solve(self%handle, op, A, B, info)
    end subroutine gauss_jordan_batch_solve_m

    subroutine gauss_jordan_batch_invert_enqueue_m(self, A, X, status, info, events)
        class(clsolve_gauss_jordan_batch), intent(in) :: self
        type(clsolve_batch), intent(in) :: A
        type(clsolve_batch), intent(in) :: X
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_gauss_jordan_batch_invert_enqueue(self%handle, A, X, info, events)
    end subroutine gauss_jordan_batch_invert_enqueue_m

    subroutine gauss_jordan_batch_solve_enqueue_m(self, op, A, B, status, info, events)
        class(clsolve_gauss_jordan_batch), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_batch), intent(in) :: A
        type(clsolve_batch), intent(in) :: B
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_gauss_jordan_batch_solve_enqueue(self%handle, op, A, B, info, events)
    end subroutine gauss_jordan_batch_solve_enqueue_m

    subroutine gauss_jordan_batch_status_m(self, status)
        class(clsolve_gauss_jordan_batch), intent(in) :: self
        integer(c_int), intent(out) :: status

        status = clsolve_gauss_jordan_batch_status(self%handle)
    end subroutine gauss_jordan_batch_status_m

    subroutine gauss_jordan_batch_report_m(self, report, status)
        class(clsolve_gauss_jordan_batch), intent(in) :: self
        type(clsolve_report), intent(inout) :: report
        integer(c_int), intent(out) :: status

        status = clsolve_gauss_jordan_batch_report(self%handle, report)
    end subroutine gauss_jordan_batch_report_m

    subroutine gauss_jordan_batch_destroy_m(self)
        class(clsolve_gauss_jordan_batch), intent(inout) :: self

        call clsolve_gauss_jordan_batch_destroy(self%handle)
        self%handle = c_null_ptr
        call self%leave()
    end subroutine gauss_jordan_batch_destroy_m

    impure elemental subroutine gauss_jordan_batch_final(self)
        type(clsolve_gauss_jordan_batch), intent(inout) :: self

        call self%destroy()
    end subroutine gauss_jordan_batch_final

    subroutine band_create_m(self, context, n, kl, ku, type, status, options)
        class(clsolve_band), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int64_t), intent(in) :: n
        integer(c_int64_t), intent(in) :: kl
        integer(c_int64_t), intent(in) :: ku
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_band_options), intent(in), optional :: options

        call self%destroy()
        call self%join(context, status)
        if (status /= CLSOLVE_OK) return
        status = clsolve_band_create(context%handle, n, kl, ku, type, options, self%handle)
    end subroutine band_create_m

    subroutine band_create_i(self, context, n, kl, ku, type, status, options)
        class(clsolve_band), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int32_t), intent(in) :: n
        integer(c_int32_t), intent(in) :: kl
        integer(c_int32_t), intent(in) :: ku
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_band_options), intent(in), optional :: options

        call band_create_m(self, context, int(n, c_int64_t), int(kl, c_int64_t), int(ku, c_int64_t), type, status, &
            options)
    end subroutine band_create_i

    subroutine band_factor_m(self, AB, status)
        class(clsolve_band), intent(in) :: self
        type(clsolve_matrix), intent(in) :: AB
        integer(c_int), intent(out) :: status

        status = clsolve_band_factor(self%handle, AB)
    end subroutine band_factor_m

    subroutine band_factor_csr_m(self, A, status, rows, columns)
        class(clsolve_band), intent(in) :: self
        type(clsolve_csr), intent(in) :: A
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(in), optional :: rows(*)
        integer(c_int64_t), intent(in), optional :: columns(*)

        status = clsolve_band_factor_csr(self%handle, A, rows, columns)
    end subroutine band_factor_csr_m

    subroutine band_solve_m(self, op, B, status)
        class(clsolve_band), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_matrix), intent(in) :: B
        integer(c_int), intent(out) :: status

        status = clsolve_band_solve(self%handle, op, B)
    end subroutine band_solve_m

    subroutine band_factors_m(self, AFB, status, ipiv)
        class(clsolve_band), intent(in) :: self
        type(clsolve_matrix), intent(in) :: AFB
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: ipiv(*)

        status = clsolve_band_factors(self%handle, AFB, ipiv)
    end subroutine band_factors_m

    subroutine band_import_m(self, AFB, status, ipiv)
        class(clsolve_band), intent(in) :: self
        type(clsolve_matrix), intent(in) :: AFB
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(in), optional :: ipiv(*)

        status = clsolve_band_import(self%handle, AFB, ipiv)
    end subroutine band_import_m

    subroutine band_condition_m(self, norm, norm_A, rcond, status)
        class(clsolve_band), intent(in) :: self
        integer(c_int), intent(in) :: norm
        real(c_double), intent(in) :: norm_A
        real(c_double), intent(inout) :: rcond
        integer(c_int), intent(out) :: status

        status = clsolve_band_condition(self%handle, norm, norm_A, rcond)
    end subroutine band_condition_m

    subroutine band_factor_enqueue_m(self, AB, status, events)
        class(clsolve_band), intent(in) :: self
        type(clsolve_matrix), intent(in) :: AB
        integer(c_int), intent(out) :: status
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_band_factor_enqueue(self%handle, AB, events)
    end subroutine band_factor_enqueue_m

    subroutine band_solve_enqueue_m(self, op, B, status, events)
        class(clsolve_band), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_matrix), intent(in) :: B
        integer(c_int), intent(out) :: status
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_band_solve_enqueue(self%handle, op, B, events)
    end subroutine band_solve_enqueue_m

    subroutine band_status_m(self, status)
        class(clsolve_band), intent(in) :: self
        integer(c_int), intent(out) :: status

        status = clsolve_band_status(self%handle)
    end subroutine band_status_m

    subroutine band_report_m(self, report, status)
        class(clsolve_band), intent(in) :: self
        type(clsolve_report), intent(inout) :: report
        integer(c_int), intent(out) :: status

        status = clsolve_band_report(self%handle, report)
    end subroutine band_report_m

    subroutine band_destroy_m(self)
        class(clsolve_band), intent(inout) :: self

        call clsolve_band_destroy(self%handle)
        self%handle = c_null_ptr
        call self%leave()
    end subroutine band_destroy_m

    impure elemental subroutine band_final(self)
        type(clsolve_band), intent(inout) :: self

        call self%destroy()
    end subroutine band_final

    subroutine band_batch_create_m(self, context, n, kl, ku, count, type, status, options)
        class(clsolve_band_batch), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int64_t), intent(in) :: n
        integer(c_int64_t), intent(in) :: kl
        integer(c_int64_t), intent(in) :: ku
        integer(c_int64_t), intent(in) :: count
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_band_batch_options), intent(in), optional :: options

        call self%destroy()
        call self%join(context, status)
        if (status /= CLSOLVE_OK) return
        status = clsolve_band_batch_create(context%handle, n, kl, ku, count, type, options, self%handle)
    end subroutine band_batch_create_m

    subroutine band_batch_create_i(self, context, n, kl, ku, count, type, status, options)
        class(clsolve_band_batch), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int32_t), intent(in) :: n
        integer(c_int32_t), intent(in) :: kl
        integer(c_int32_t), intent(in) :: ku
        integer(c_int32_t), intent(in) :: count
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_band_batch_options), intent(in), optional :: options

        call band_batch_create_m(self, context, int(n, c_int64_t), int(kl, c_int64_t), int(ku, c_int64_t), &
            int(count, c_int64_t), type, status, options)
    end subroutine band_batch_create_i

    subroutine band_batch_factor_m(self, AB, status, info)
        class(clsolve_band_batch), intent(in) :: self
        type(clsolve_batch), intent(in) :: AB
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)

        status = clsolve_band_batch_factor(self%handle, AB, info)
    end subroutine band_batch_factor_m

    subroutine band_batch_solve_m(self, op, B, status, info)
        class(clsolve_band_batch), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_batch), intent(in) :: B
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)

        status = clsolve_band_batch_solve(self%handle, op, B, info)
    end subroutine band_batch_solve_m

    subroutine band_batch_factors_m(self, AFB, status, ipiv)
        class(clsolve_band_batch), intent(in) :: self
        type(clsolve_batch), intent(in) :: AFB
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: ipiv(*)

        status = clsolve_band_batch_factors(self%handle, AFB, ipiv)
    end subroutine band_batch_factors_m

    subroutine band_batch_factor_enqueue_m(self, AB, status, info, events)
        class(clsolve_band_batch), intent(in) :: self
        type(clsolve_batch), intent(in) :: AB
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_band_batch_factor_enqueue(self%handle, AB, info, events)
    end subroutine band_batch_factor_enqueue_m

    subroutine band_batch_solve_enqueue_m(self, op, B, status, info, events)
        class(clsolve_band_batch), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_batch), intent(in) :: B
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_band_batch_solve_enqueue(self%handle, op, B, info, events)
    end subroutine band_batch_solve_enqueue_m

    subroutine band_batch_status_m(self, status)
        class(clsolve_band_batch), intent(in) :: self
        integer(c_int), intent(out) :: status

        status = clsolve_band_batch_status(self%handle)
    end subroutine band_batch_status_m

    subroutine band_batch_report_m(self, report, status)
        class(clsolve_band_batch), intent(in) :: self
        type(clsolve_report), intent(inout) :: report
        integer(c_int), intent(out) :: status

        status = clsolve_band_batch_report(self%handle, report)
    end subroutine band_batch_report_m

    subroutine band_batch_destroy_m(self)
        class(clsolve_band_batch), intent(inout) :: self

        call clsolve_band_batch_destroy(self%handle)
        self%handle = c_null_ptr
        call self%leave()
    end subroutine band_batch_destroy_m

    impure elemental subroutine band_batch_final(self)
        type(clsolve_band_batch), intent(inout) :: self

        call self%destroy()
    end subroutine band_batch_final

    subroutine band_cholesky_create_m(self, context, n, k, type, status, options)
        class(clsolve_band_cholesky), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int64_t), intent(in) :: n
        integer(c_int64_t), intent(in) :: k
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_band_cholesky_options), intent(in), optional :: options

        call self%destroy()
        call self%join(context, status)
        if (status /= CLSOLVE_OK) return
        status = clsolve_band_cholesky_create(context%handle, n, k, type, options, self%handle)
    end subroutine band_cholesky_create_m

    subroutine band_cholesky_create_i(self, context, n, k, type, status, options)
        class(clsolve_band_cholesky), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int32_t), intent(in) :: n
        integer(c_int32_t), intent(in) :: k
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_band_cholesky_options), intent(in), optional :: options

        call band_cholesky_create_m(self, context, int(n, c_int64_t), int(k, c_int64_t), type, status, options)
    end subroutine band_cholesky_create_i

    subroutine band_cholesky_factor_m(self, uplo, AB, status)
        class(clsolve_band_cholesky), intent(in) :: self
        integer(c_int), intent(in) :: uplo
        type(clsolve_matrix), intent(in) :: AB
        integer(c_int), intent(out) :: status

        status = clsolve_band_cholesky_factor(self%handle, uplo, AB)
    end subroutine band_cholesky_factor_m

    subroutine band_cholesky_solve_m(self, B, status)
        class(clsolve_band_cholesky), intent(in) :: self
        type(clsolve_matrix), intent(in) :: B
        integer(c_int), intent(out) :: status

        status = clsolve_band_cholesky_solve(self%handle, B)
    end subroutine band_cholesky_solve_m

    subroutine band_cholesky_factors_m(self, uplo, F, status)
        class(clsolve_band_cholesky), intent(in) :: self
        integer(c_int), intent(in) :: uplo
        type(clsolve_matrix), intent(in) :: F
        integer(c_int), intent(out) :: status

        status = clsolve_band_cholesky_factors(self%handle, uplo, F)
    end subroutine band_cholesky_factors_m

    subroutine band_cholesky_import_m(self, uplo, F, status)
        class(clsolve_band_cholesky), intent(in) :: self
        integer(c_int), intent(in) :: uplo
        type(clsolve_matrix), intent(in) :: F
        integer(c_int), intent(out) :: status

        status = clsolve_band_cholesky_import(self%handle, uplo, F)
    end subroutine band_cholesky_import_m

    subroutine band_cholesky_condition_m(self, norm_A, rcond, status)
        class(clsolve_band_cholesky), intent(in) :: self
        real(c_double), intent(in) :: norm_A
        real(c_double), intent(inout) :: rcond
        integer(c_int), intent(out) :: status

        status = clsolve_band_cholesky_condition(self%handle, norm_A, rcond)
    end subroutine band_cholesky_condition_m

    subroutine band_cholesky_report_m(self, report, status)
        class(clsolve_band_cholesky), intent(in) :: self
        type(clsolve_report), intent(inout) :: report
        integer(c_int), intent(out) :: status

        status = clsolve_band_cholesky_report(self%handle, report)
    end subroutine band_cholesky_report_m

    subroutine band_cholesky_destroy_m(self)
        class(clsolve_band_cholesky), intent(inout) :: self

        call clsolve_band_cholesky_destroy(self%handle)
        self%handle = c_null_ptr
        call self%leave()
    end subroutine band_cholesky_destroy_m

    impure elemental subroutine band_cholesky_final(self)
        type(clsolve_band_cholesky), intent(inout) :: self

        call self%destroy()
    end subroutine band_cholesky_final

    subroutine tridiagonal_batch_create_m(self, context, n, count, type, status, options)
        class(clsolve_tridiagonal_batch), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int64_t), intent(in) :: n
        integer(c_int64_t), intent(in) :: count
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_tridiagonal_batch_options), intent(in), optional :: options

        call self%destroy()
        call self%join(context, status)
        if (status /= CLSOLVE_OK) return
        status = clsolve_tridiagonal_batch_create(context%handle, n, count, type, options, self%handle)
    end subroutine tridiagonal_batch_create_m

    subroutine tridiagonal_batch_create_i(self, context, n, count, type, status, options)
        class(clsolve_tridiagonal_batch), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int32_t), intent(in) :: n
        integer(c_int32_t), intent(in) :: count
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_tridiagonal_batch_options), intent(in), optional :: options

        call tridiagonal_batch_create_m(self, context, int(n, c_int64_t), int(count, c_int64_t), type, status, &
            options)
    end subroutine tridiagonal_batch_create_i

    subroutine tridiagonal_batch_factor_m(self, dl, d, du, status, info)
        class(clsolve_tridiagonal_batch), intent(in) :: self
        type(clsolve_batch), intent(in) :: dl
        type(clsolve_batch), intent(in) :: d
        type(clsolve_batch), intent(in) :: du
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)

        status = clsolve_tridiagonal_batch_factor(self%handle, dl, d, du, info)
    end subroutine tridiagonal_batch_factor_m

    subroutine tridiagonal_batch_solve_m(self, op, B, status, info)
        class(clsolve_tridiagonal_batch), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_batch), intent(in) :: B
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)

        status = clsolve_tridiagonal_batch_solve(self%handle, op, B, info)
    end subroutine tridiagonal_batch_solve_m

    subroutine tridiagonal_batch_factor_enqueue_m(self, dl, d, du, status, info, events)
        class(clsolve_tridiagonal_batch), intent(in) :: self
        type(clsolve_batch), intent(in) :: dl
        type(clsolve_batch), intent(in) :: d
        type(clsolve_batch), intent(in) :: du
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_tridiagonal_batch_factor_enqueue(self%handle, dl, d, du, info, events)
    end subroutine tridiagonal_batch_factor_enqueue_m

    subroutine tridiagonal_batch_solve_enqueue_m(self, op, B, status, info, events)
        class(clsolve_tridiagonal_batch), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_batch), intent(in) :: B
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_tridiagonal_batch_solve_enqueue(self%handle, op, B, info, events)
    end subroutine tridiagonal_batch_solve_enqueue_m

    subroutine tridiagonal_batch_status_m(self, status)
        class(clsolve_tridiagonal_batch), intent(in) :: self
        integer(c_int), intent(out) :: status

        status = clsolve_tridiagonal_batch_status(self%handle)
    end subroutine tridiagonal_batch_status_m

    subroutine tridiagonal_batch_report_m(self, report, status)
        class(clsolve_tridiagonal_batch), intent(in) :: self
        type(clsolve_report), intent(inout) :: report
        integer(c_int), intent(out) :: status

        status = clsolve_tridiagonal_batch_report(self%handle, report)
    end subroutine tridiagonal_batch_report_m

    subroutine tridiagonal_batch_destroy_m(self)
        class(clsolve_tridiagonal_batch), intent(inout) :: self

        call clsolve_tridiagonal_batch_destroy(self%handle)
        self%handle = c_null_ptr
        call self%leave()
    end subroutine tridiagonal_batch_destroy_m

    impure elemental subroutine tridiagonal_batch_final(self)
        type(clsolve_tridiagonal_batch), intent(inout) :: self

        call self%destroy()
    end subroutine tridiagonal_batch_final

    subroutine block_gs_create_m(self, context, N, M, type, status, options)
        class(clsolve_block_gs), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int64_t), intent(in) :: N
        integer(c_int64_t), intent(in) :: M
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_block_gs_options), intent(in), optional :: options

        call self%destroy()
        call self%join(context, status)
        if (status /= CLSOLVE_OK) return
        status = clsolve_block_gs_create(context%handle, N, M, type, options, self%handle)
    end subroutine block_gs_create_m

    subroutine block_gs_create_i(self, context, N, M, type, status, options)
        class(clsolve_block_gs), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int32_t), intent(in) :: N
        integer(c_int32_t), intent(in) :: M
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status
        type(clsolve_block_gs_options), intent(in), optional :: options

        call block_gs_create_m(self, context, int(N, c_int64_t), int(M, c_int64_t), type, status, options)
    end subroutine block_gs_create_i

    subroutine block_gs_factor_m(self, up, a, c, b, down, status)
        class(clsolve_block_gs), intent(in) :: self
        type(clsolve_grid), intent(in) :: up
        type(clsolve_grid), intent(in) :: a
        type(clsolve_grid), intent(in) :: c
        type(clsolve_grid), intent(in) :: b
        type(clsolve_grid), intent(in) :: down
        integer(c_int), intent(out) :: status

        status = clsolve_block_gs_factor(self%handle, up, a, c, b, down)
    end subroutine block_gs_factor_m

    subroutine block_gs_solve_m(self, F, Y, nrhs, status)
        class(clsolve_block_gs), intent(in) :: self
        type(clsolve_grid), intent(in) :: F
        type(clsolve_grid), intent(in) :: Y
        integer(c_int64_t), intent(in) :: nrhs
        integer(c_int), intent(out) :: status

        status = clsolve_block_gs_solve(self%handle, F, Y, nrhs)
    end subroutine block_gs_solve_m

    subroutine block_gs_solve_i(self, F, Y, nrhs, status)
        class(clsolve_block_gs), intent(in) :: self
        type(clsolve_grid), intent(in) :: F
        type(clsolve_grid), intent(in) :: Y
        integer(c_int32_t), intent(in) :: nrhs
        integer(c_int), intent(out) :: status

        call block_gs_solve_m(self, F, Y, int(nrhs, c_int64_t), status)
    end subroutine block_gs_solve_i

    subroutine block_gs_factor_enqueue_m(self, up, a, c, b, down, status, events)
        class(clsolve_block_gs), intent(in) :: self
        type(clsolve_grid), intent(in) :: up
        type(clsolve_grid), intent(in) :: a
        type(clsolve_grid), intent(in) :: c
        type(clsolve_grid), intent(in) :: b
        type(clsolve_grid), intent(in) :: down
        integer(c_int), intent(out) :: status
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_block_gs_factor_enqueue(self%handle, up, a, c, b, down, events)
    end subroutine block_gs_factor_enqueue_m

    subroutine block_gs_solve_enqueue_m(self, F, Y, nrhs, status, events)
        class(clsolve_block_gs), intent(in) :: self
        type(clsolve_grid), intent(in) :: F
        type(clsolve_grid), intent(in) :: Y
        integer(c_int64_t), intent(in) :: nrhs
        integer(c_int), intent(out) :: status
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_block_gs_solve_enqueue(self%handle, F, Y, nrhs, events)
    end subroutine block_gs_solve_enqueue_m

    subroutine block_gs_solve_enqueue_i(self, F, Y, nrhs, status, events)
        class(clsolve_block_gs), intent(in) :: self
        type(clsolve_grid), intent(in) :: F
        type(clsolve_grid), intent(in) :: Y
        integer(c_int32_t), intent(in) :: nrhs
        integer(c_int), intent(out) :: status
        type(clsolve_events), intent(in), optional :: events

        call block_gs_solve_enqueue_m(self, F, Y, int(nrhs, c_int64_t), status, events)
    end subroutine block_gs_solve_enqueue_i

    subroutine block_gs_status_m(self, status)
        class(clsolve_block_gs), intent(in) :: self
        integer(c_int), intent(out) :: status

        status = clsolve_block_gs_status(self%handle)
    end subroutine block_gs_status_m

    subroutine block_gs_report_m(self, report, status)
        class(clsolve_block_gs), intent(in) :: self
        type(clsolve_report), intent(inout) :: report
        integer(c_int), intent(out) :: status

        status = clsolve_block_gs_report(self%handle, report)
    end subroutine block_gs_report_m

    subroutine block_gs_destroy_m(self)
        class(clsolve_block_gs), intent(inout) :: self

        call clsolve_block_gs_destroy(self%handle)
        self%handle = c_null_ptr
        call self%leave()
    end subroutine block_gs_destroy_m

    impure elemental subroutine block_gs_final(self)
        type(clsolve_block_gs), intent(inout) :: self

        call self%destroy()
    end subroutine block_gs_final

    subroutine grid_slab_create_m(self, context, N, M, first, count, type, status)
        class(clsolve_grid_slab), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int64_t), intent(in) :: N
        integer(c_int64_t), intent(in) :: M
        integer(c_int64_t), intent(in) :: first
        integer(c_int64_t), intent(in) :: count
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status

        call self%destroy()
        call self%join(context, status)
        if (status /= CLSOLVE_OK) return
        status = clsolve_grid_slab_create(context%handle, N, M, first, count, type, self%handle)
    end subroutine grid_slab_create_m

    subroutine grid_slab_create_i(self, context, N, M, first, count, type, status)
        class(clsolve_grid_slab), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        integer(c_int32_t), intent(in) :: N
        integer(c_int32_t), intent(in) :: M
        integer(c_int32_t), intent(in) :: first
        integer(c_int32_t), intent(in) :: count
        integer(c_int), intent(in) :: type
        integer(c_int), intent(out) :: status

        call grid_slab_create_m(self, context, int(N, c_int64_t), int(M, c_int64_t), int(first, c_int64_t), &
            int(count, c_int64_t), type, status)
    end subroutine grid_slab_create_i

    subroutine grid_slab_factor_m(self, status, symmetric)
        class(clsolve_grid_slab), intent(in) :: self
        integer(c_int), intent(out) :: status
        integer(c_int32_t), intent(inout), optional :: symmetric

        status = clsolve_grid_slab_factor(self%handle, symmetric)
    end subroutine grid_slab_factor_m

    subroutine grid_slab_coarsen_m(self, symmetric, coarse, status)
        class(clsolve_grid_slab), intent(in) :: self
        integer(c_int32_t), intent(in) :: symmetric
        class(clsolve_grid_slab), intent(inout) :: coarse
        integer(c_int), intent(out) :: status

        call coarse%destroy()
        coarse%owner => self%owner
        if (associated(self%owner)) self%owner%users = self%owner%users + 1
        status = clsolve_grid_slab_coarsen(self%handle, symmetric, coarse%handle)
    end subroutine grid_slab_coarsen_m

    subroutine grid_slab_half_sweep_m(self, colour, zero, status)
        class(clsolve_grid_slab), intent(in) :: self
        integer(c_int32_t), intent(in) :: colour
        integer(c_int32_t), intent(in) :: zero
        integer(c_int), intent(out) :: status

        status = clsolve_grid_slab_half_sweep(self%handle, colour, zero)
    end subroutine grid_slab_half_sweep_m

    subroutine grid_slab_residual_m(self, status)
        class(clsolve_grid_slab), intent(in) :: self
        integer(c_int), intent(out) :: status

        status = clsolve_grid_slab_residual(self%handle)
    end subroutine grid_slab_residual_m

    subroutine grid_slab_restrict_m(self, coarse, status)
        class(clsolve_grid_slab), intent(in) :: self
        class(clsolve_grid_slab), intent(in) :: coarse
        integer(c_int), intent(out) :: status

        status = clsolve_grid_slab_restrict(self%handle, coarse%handle)
    end subroutine grid_slab_restrict_m

    subroutine grid_slab_prolong_m(self, coarse, status)
        class(clsolve_grid_slab), intent(in) :: self
        class(clsolve_grid_slab), intent(in) :: coarse
        integer(c_int), intent(out) :: status

        status = clsolve_grid_slab_prolong(self%handle, coarse%handle)
    end subroutine grid_slab_prolong_m

    subroutine grid_slab_report_m(self, report, status)
        class(clsolve_grid_slab), intent(in) :: self
        type(clsolve_report), intent(inout) :: report
        integer(c_int), intent(out) :: status

        status = clsolve_grid_slab_report(self%handle, report)
    end subroutine grid_slab_report_m

    subroutine grid_slab_destroy_m(self)
        class(clsolve_grid_slab), intent(inout) :: self

        call clsolve_grid_slab_destroy(self%handle)
        self%handle = c_null_ptr
        call self%leave()
    end subroutine grid_slab_destroy_m

    impure elemental subroutine grid_slab_final(self)
        type(clsolve_grid_slab), intent(inout) :: self

        call self%destroy()
    end subroutine grid_slab_final

    subroutine sparse_create_csr_m(self, context, A, status, options)
        class(clsolve_sparse), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        type(clsolve_csr), intent(in) :: A
        integer(c_int), intent(out) :: status
        type(clsolve_sparse_options), intent(in), optional :: options

        call self%destroy()
        call self%join(context, status)
        if (status /= CLSOLVE_OK) return
        status = clsolve_sparse_create_csr(context%handle, A, options, self%handle)
    end subroutine sparse_create_csr_m

    subroutine sparse_factor_csr_m(self, A, status)
        class(clsolve_sparse), intent(in) :: self
        type(clsolve_csr), intent(in) :: A
        integer(c_int), intent(out) :: status

        status = clsolve_sparse_factor_csr(self%handle, A)
    end subroutine sparse_factor_csr_m

    subroutine sparse_factor_values_m(self, values, status)
        class(clsolve_sparse), intent(in) :: self
        type(clsolve_matrix), intent(in) :: values
        integer(c_int), intent(out) :: status

        status = clsolve_sparse_factor_values(self%handle, values)
    end subroutine sparse_factor_values_m

    subroutine sparse_solve_m(self, op, B, status)
        class(clsolve_sparse), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_matrix), intent(in) :: B
        integer(c_int), intent(out) :: status

        status = clsolve_sparse_solve(self%handle, op, B)
    end subroutine sparse_solve_m

    subroutine sparse_get_analysis_m(self, analysis, status)
        class(clsolve_sparse), intent(in) :: self
        type(clsolve_sparse_analysis), intent(inout) :: analysis
        integer(c_int), intent(out) :: status

        status = clsolve_sparse_get_analysis(self%handle, analysis)
    end subroutine sparse_get_analysis_m

    subroutine sparse_permutations_m(self, status, rows, columns)
        class(clsolve_sparse), intent(in) :: self
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: rows(*)
        integer(c_int64_t), intent(inout), optional :: columns(*)

        status = clsolve_sparse_permutations(self%handle, rows, columns)
    end subroutine sparse_permutations_m

    subroutine sparse_inertia_m(self, inertia, status)
        class(clsolve_sparse), intent(in) :: self
        type(clsolve_inertia), intent(inout) :: inertia
        integer(c_int), intent(out) :: status

        status = clsolve_sparse_inertia(self%handle, inertia)
    end subroutine sparse_inertia_m

    subroutine sparse_factor_values_enqueue_m(self, values, status, events)
        class(clsolve_sparse), intent(in) :: self
        type(clsolve_matrix), intent(in) :: values
        integer(c_int), intent(out) :: status
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_sparse_factor_values_enqueue(self%handle, values, events)
    end subroutine sparse_factor_values_enqueue_m

    subroutine sparse_solve_enqueue_m(self, op, B, status, events)
        class(clsolve_sparse), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_matrix), intent(in) :: B
        integer(c_int), intent(out) :: status
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_sparse_solve_enqueue(self%handle, op, B, events)
    end subroutine sparse_solve_enqueue_m

    subroutine sparse_status_m(self, status)
        class(clsolve_sparse), intent(in) :: self
        integer(c_int), intent(out) :: status

        status = clsolve_sparse_status(self%handle)
    end subroutine sparse_status_m

    subroutine sparse_report_m(self, report, status)
        class(clsolve_sparse), intent(in) :: self
        type(clsolve_report), intent(inout) :: report
        integer(c_int), intent(out) :: status

        status = clsolve_sparse_report(self%handle, report)
    end subroutine sparse_report_m

    subroutine sparse_destroy_m(self)
        class(clsolve_sparse), intent(inout) :: self

        call clsolve_sparse_destroy(self%handle)
        self%handle = c_null_ptr
        call self%leave()
    end subroutine sparse_destroy_m

    impure elemental subroutine sparse_final(self)
        type(clsolve_sparse), intent(inout) :: self

        call self%destroy()
    end subroutine sparse_final

    subroutine solver_create_m(self, context, A, status, options)
        class(clsolve_solver), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        type(clsolve_matrix), intent(in) :: A
        integer(c_int), intent(out) :: status
        type(clsolve_solver_options), intent(in), optional :: options

        call self%destroy()
        call self%join(context, status)
        if (status /= CLSOLVE_OK) return
        status = clsolve_solver_create(context%handle, A, options, self%handle)
    end subroutine solver_create_m

    subroutine solver_create_csr_m(self, context, A, status, options)
        class(clsolve_solver), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        type(clsolve_csr), intent(in) :: A
        integer(c_int), intent(out) :: status
        type(clsolve_solver_options), intent(in), optional :: options

        call self%destroy()
        call self%join(context, status)
        if (status /= CLSOLVE_OK) return
        status = clsolve_solver_create_csr(context%handle, A, options, self%handle)
    end subroutine solver_create_csr_m

    subroutine solver_factor_m(self, A, status)
        class(clsolve_solver), intent(in) :: self
        type(clsolve_matrix), intent(in) :: A
        integer(c_int), intent(out) :: status

        status = clsolve_solver_factor(self%handle, A)
    end subroutine solver_factor_m

    subroutine solver_factor_csr_m(self, A, status)
        class(clsolve_solver), intent(in) :: self
        type(clsolve_csr), intent(in) :: A
        integer(c_int), intent(out) :: status

        status = clsolve_solver_factor_csr(self%handle, A)
    end subroutine solver_factor_csr_m

    subroutine solver_solve_m(self, op, B, status)
        class(clsolve_solver), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_matrix), intent(in) :: B
        integer(c_int), intent(out) :: status

        status = clsolve_solver_solve(self%handle, op, B)
    end subroutine solver_solve_m

    subroutine solver_report_m(self, report, status)
        class(clsolve_solver), intent(in) :: self
        type(clsolve_solve_report), intent(inout) :: report
        integer(c_int), intent(out) :: status

        status = clsolve_solver_report(self%handle, report)
    end subroutine solver_report_m

    subroutine solver_sparse_analysis_m(self, analysis, status)
        class(clsolve_solver), intent(in) :: self
        type(clsolve_sparse_analysis), intent(inout) :: analysis
        integer(c_int), intent(out) :: status

        status = clsolve_solver_sparse_analysis(self%handle, analysis)
    end subroutine solver_sparse_analysis_m

    subroutine solver_sparse_permutations_m(self, status, rows, columns)
        class(clsolve_solver), intent(in) :: self
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: rows(*)
        integer(c_int64_t), intent(inout), optional :: columns(*)

        status = clsolve_solver_sparse_permutations(self%handle, rows, columns)
    end subroutine solver_sparse_permutations_m

    subroutine solver_destroy_m(self)
        class(clsolve_solver), intent(inout) :: self

        call clsolve_solver_destroy(self%handle)
        self%handle = c_null_ptr
        call self%leave()
    end subroutine solver_destroy_m

    impure elemental subroutine solver_final(self)
        type(clsolve_solver), intent(inout) :: self

        call self%destroy()
    end subroutine solver_final

    subroutine sparse_batch_create_csr_m(self, context, A, count, status, options)
        class(clsolve_sparse_batch), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        type(clsolve_csr), intent(in) :: A
        integer(c_int64_t), intent(in) :: count
        integer(c_int), intent(out) :: status
        type(clsolve_sparse_batch_options), intent(in), optional :: options

        call self%destroy()
        call self%join(context, status)
        if (status /= CLSOLVE_OK) return
        status = clsolve_sparse_batch_create_csr(context%handle, A, count, options, self%handle)
    end subroutine sparse_batch_create_csr_m

    subroutine sparse_batch_create_csr_i(self, context, A, count, status, options)
        class(clsolve_sparse_batch), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        type(clsolve_csr), intent(in) :: A
        integer(c_int32_t), intent(in) :: count
        integer(c_int), intent(out) :: status
        type(clsolve_sparse_batch_options), intent(in), optional :: options

        call sparse_batch_create_csr_m(self, context, A, int(count, c_int64_t), status, options)
    end subroutine sparse_batch_create_csr_i

    subroutine sparse_batch_factor_m(self, values, status, info)
        class(clsolve_sparse_batch), intent(in) :: self
        type(clsolve_batch), intent(in) :: values
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)

        status = clsolve_sparse_batch_factor(self%handle, values, info)
    end subroutine sparse_batch_factor_m

    subroutine sparse_batch_solve_m(self, op, B, status, info)
        class(clsolve_sparse_batch), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_batch), intent(in) :: B
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)

        status = clsolve_sparse_batch_solve(self%handle, op, B, info)
    end subroutine sparse_batch_solve_m

    subroutine sparse_batch_determinant_m(self, status, det, sign, log_abs)
        class(clsolve_sparse_batch), intent(in) :: self
        integer(c_int), intent(out) :: status
        real(c_double), intent(inout), optional :: det(*)
        real(c_double), intent(inout), optional :: sign(*)
        real(c_double), intent(inout), optional :: log_abs(*)

        status = clsolve_sparse_batch_determinant(self%handle, det, sign, log_abs)
    end subroutine sparse_batch_determinant_m

    subroutine sparse_batch_get_analysis_m(self, analysis, status)
        class(clsolve_sparse_batch), intent(in) :: self
        type(clsolve_sparse_batch_analysis), intent(inout) :: analysis
        integer(c_int), intent(out) :: status

        status = clsolve_sparse_batch_get_analysis(self%handle, analysis)
    end subroutine sparse_batch_get_analysis_m

    subroutine sparse_batch_factor_enqueue_m(self, values, status, info, events)
        class(clsolve_sparse_batch), intent(in) :: self
        type(clsolve_batch), intent(in) :: values
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_sparse_batch_factor_enqueue(self%handle, values, info, events)
    end subroutine sparse_batch_factor_enqueue_m

    subroutine sparse_batch_solve_enqueue_m(self, op, B, status, info, events)
        class(clsolve_sparse_batch), intent(in) :: self
        integer(c_int), intent(in) :: op
        type(clsolve_batch), intent(in) :: B
        integer(c_int), intent(out) :: status
        integer(c_int64_t), intent(inout), optional :: info(*)
        type(clsolve_events), intent(in), optional :: events

        status = clsolve_sparse_batch_solve_enqueue(self%handle, op, B, info, events)
    end subroutine sparse_batch_solve_enqueue_m

    subroutine sparse_batch_status_m(self, status)
        class(clsolve_sparse_batch), intent(in) :: self
        integer(c_int), intent(out) :: status

        status = clsolve_sparse_batch_status(self%handle)
    end subroutine sparse_batch_status_m

    subroutine sparse_batch_report_m(self, report, status)
        class(clsolve_sparse_batch), intent(in) :: self
        type(clsolve_report), intent(inout) :: report
        integer(c_int), intent(out) :: status

        status = clsolve_sparse_batch_report(self%handle, report)
    end subroutine sparse_batch_report_m

    subroutine sparse_batch_destroy_m(self)
        class(clsolve_sparse_batch), intent(inout) :: self

        call clsolve_sparse_batch_destroy(self%handle)
        self%handle = c_null_ptr
        call self%leave()
    end subroutine sparse_batch_destroy_m

    impure elemental subroutine sparse_batch_final(self)
        type(clsolve_sparse_batch), intent(inout) :: self

        call self%destroy()
    end subroutine sparse_batch_final

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

    subroutine solver_create_f32(self, context, a, status, options)
        class(clsolve_solver), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        real(c_float), intent(in), target :: a(:, :)
        integer(c_int), intent(out) :: status
        type(clsolve_solver_options), intent(in), optional :: options

        call self%create(context, clsolve_matrix_of(a), status, options)
    end subroutine solver_create_f32

    subroutine solver_factor_f32(self, a, status)
        class(clsolve_solver), intent(in) :: self
        real(c_float), intent(in), target :: a(:, :)
        integer(c_int), intent(out) :: status

        call self%factor(clsolve_matrix_of(a), status)
    end subroutine solver_factor_f32

    subroutine solver_create_f64(self, context, a, status, options)
        class(clsolve_solver), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        real(c_double), intent(in), target :: a(:, :)
        integer(c_int), intent(out) :: status
        type(clsolve_solver_options), intent(in), optional :: options

        call self%create(context, clsolve_matrix_of(a), status, options)
    end subroutine solver_create_f64

    subroutine solver_factor_f64(self, a, status)
        class(clsolve_solver), intent(in) :: self
        real(c_double), intent(in), target :: a(:, :)
        integer(c_int), intent(out) :: status

        call self%factor(clsolve_matrix_of(a), status)
    end subroutine solver_factor_f64

    subroutine solver_create_c32(self, context, a, status, options)
        class(clsolve_solver), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        complex(c_float_complex), intent(in), target :: a(:, :)
        integer(c_int), intent(out) :: status
        type(clsolve_solver_options), intent(in), optional :: options

        call self%create(context, clsolve_matrix_of(a), status, options)
    end subroutine solver_create_c32

    subroutine solver_factor_c32(self, a, status)
        class(clsolve_solver), intent(in) :: self
        complex(c_float_complex), intent(in), target :: a(:, :)
        integer(c_int), intent(out) :: status

        call self%factor(clsolve_matrix_of(a), status)
    end subroutine solver_factor_c32

    subroutine solver_create_c64(self, context, a, status, options)
        class(clsolve_solver), intent(inout) :: self
        class(clsolve_context), intent(in) :: context
        complex(c_double_complex), intent(in), target :: a(:, :)
        integer(c_int), intent(out) :: status
        type(clsolve_solver_options), intent(in), optional :: options

        call self%create(context, clsolve_matrix_of(a), status, options)
    end subroutine solver_create_c64

    subroutine solver_factor_c64(self, a, status)
        class(clsolve_solver), intent(in) :: self
        complex(c_double_complex), intent(in), target :: a(:, :)
        integer(c_int), intent(out) :: status

        call self%factor(clsolve_matrix_of(a), status)
    end subroutine solver_factor_c64

    ! b becomes the solution of op(A) x = b.
    subroutine solver_solve_f32_1(self, b, status, op)
        class(clsolve_solver), intent(in) :: self
        real(c_float), intent(inout), target :: b(:)
        integer(c_int), intent(out) :: status
        integer(c_int), intent(in), optional :: op

        call self%solve(chosen(op), clsolve_matrix_of(b), status)
    end subroutine solver_solve_f32_1

    ! b becomes the solution of op(A) x = b.
    subroutine solver_solve_f32_2(self, b, status, op)
        class(clsolve_solver), intent(in) :: self
        real(c_float), intent(inout), target :: b(:, :)
        integer(c_int), intent(out) :: status
        integer(c_int), intent(in), optional :: op

        call self%solve(chosen(op), clsolve_matrix_of(b), status)
    end subroutine solver_solve_f32_2

    ! b becomes the solution of op(A) x = b.
    subroutine solver_solve_f64_1(self, b, status, op)
        class(clsolve_solver), intent(in) :: self
        real(c_double), intent(inout), target :: b(:)
        integer(c_int), intent(out) :: status
        integer(c_int), intent(in), optional :: op

        call self%solve(chosen(op), clsolve_matrix_of(b), status)
    end subroutine solver_solve_f64_1

    ! b becomes the solution of op(A) x = b.
    subroutine solver_solve_f64_2(self, b, status, op)
        class(clsolve_solver), intent(in) :: self
        real(c_double), intent(inout), target :: b(:, :)
        integer(c_int), intent(out) :: status
        integer(c_int), intent(in), optional :: op

        call self%solve(chosen(op), clsolve_matrix_of(b), status)
    end subroutine solver_solve_f64_2

    ! b becomes the solution of op(A) x = b.
    subroutine solver_solve_c32_1(self, b, status, op)
        class(clsolve_solver), intent(in) :: self
        complex(c_float_complex), intent(inout), target :: b(:)
        integer(c_int), intent(out) :: status
        integer(c_int), intent(in), optional :: op

        call self%solve(chosen(op), clsolve_matrix_of(b), status)
    end subroutine solver_solve_c32_1

    ! b becomes the solution of op(A) x = b.
    subroutine solver_solve_c32_2(self, b, status, op)
        class(clsolve_solver), intent(in) :: self
        complex(c_float_complex), intent(inout), target :: b(:, :)
        integer(c_int), intent(out) :: status
        integer(c_int), intent(in), optional :: op

        call self%solve(chosen(op), clsolve_matrix_of(b), status)
    end subroutine solver_solve_c32_2

    ! b becomes the solution of op(A) x = b.
    subroutine solver_solve_c64_1(self, b, status, op)
        class(clsolve_solver), intent(in) :: self
        complex(c_double_complex), intent(inout), target :: b(:)
        integer(c_int), intent(out) :: status
        integer(c_int), intent(in), optional :: op

        call self%solve(chosen(op), clsolve_matrix_of(b), status)
    end subroutine solver_solve_c64_1

    ! b becomes the solution of op(A) x = b.
    subroutine solver_solve_c64_2(self, b, status, op)
        class(clsolve_solver), intent(in) :: self
        complex(c_double_complex), intent(inout), target :: b(:, :)
        integer(c_int), intent(out) :: status
        integer(c_int), intent(in), optional :: op

        call self%solve(chosen(op), clsolve_matrix_of(b), status)
    end subroutine solver_solve_c64_2

    ! ---- one call ----

    ! The solution of op(A) x = b. It is NaN on any status but OK.
    function solve_f32_1(a, b, status, message, op, options, context, report) result(x)
        real(c_float), intent(in), target :: a(:, :)
        real(c_float), intent(in) :: b(:)
        integer(c_int), intent(out), optional :: status
        character(len=*), intent(out), optional :: message
        integer(c_int), intent(in), optional :: op
        type(clsolve_solver_options), intent(in), optional :: options
        class(clsolve_context), intent(in), optional :: context
        type(clsolve_solve_report), intent(inout), optional :: report
        real(c_float), target :: x(size(b))
        integer(c_int) :: outcome

        x = b
        call solve_views(clsolve_matrix_of(x), outcome, message, op, options, context, report, clsolve_matrix_of(a))
        if (outcome /= CLSOLVE_OK) x = ieee_value(1.0_c_float, ieee_quiet_nan)
        if (present(status)) status = outcome
    end function solve_f32_1

    ! The same for a sparse A, a view of clsolve_csr_of.
    function solve_csr_f32_1(a, b, status, message, op, options, context, report) result(x)
        type(clsolve_csr), intent(in) :: a
        real(c_float), intent(in) :: b(:)
        integer(c_int), intent(out), optional :: status
        character(len=*), intent(out), optional :: message
        integer(c_int), intent(in), optional :: op
        type(clsolve_solver_options), intent(in), optional :: options
        class(clsolve_context), intent(in), optional :: context
        type(clsolve_solve_report), intent(inout), optional :: report
        real(c_float), target :: x(size(b))
        integer(c_int) :: outcome

        x = b
        call solve_views(clsolve_matrix_of(x), outcome, message, op, options, context, report, sparse=a)
        if (outcome /= CLSOLVE_OK) x = ieee_value(1.0_c_float, ieee_quiet_nan)
        if (present(status)) status = outcome
    end function solve_csr_f32_1

    ! The solution of op(A) x = b. It is NaN on any status but OK.
    function solve_f32_2(a, b, status, message, op, options, context, report) result(x)
        real(c_float), intent(in), target :: a(:, :)
        real(c_float), intent(in) :: b(:, :)
        integer(c_int), intent(out), optional :: status
        character(len=*), intent(out), optional :: message
        integer(c_int), intent(in), optional :: op
        type(clsolve_solver_options), intent(in), optional :: options
        class(clsolve_context), intent(in), optional :: context
        type(clsolve_solve_report), intent(inout), optional :: report
        real(c_float), target :: x(size(b, 1), size(b, 2))
        integer(c_int) :: outcome

        x = b
        call solve_views(clsolve_matrix_of(x), outcome, message, op, options, context, report, clsolve_matrix_of(a))
        if (outcome /= CLSOLVE_OK) x = ieee_value(1.0_c_float, ieee_quiet_nan)
        if (present(status)) status = outcome
    end function solve_f32_2

    ! The same for a sparse A, a view of clsolve_csr_of.
    function solve_csr_f32_2(a, b, status, message, op, options, context, report) result(x)
        type(clsolve_csr), intent(in) :: a
        real(c_float), intent(in) :: b(:, :)
        integer(c_int), intent(out), optional :: status
        character(len=*), intent(out), optional :: message
        integer(c_int), intent(in), optional :: op
        type(clsolve_solver_options), intent(in), optional :: options
        class(clsolve_context), intent(in), optional :: context
        type(clsolve_solve_report), intent(inout), optional :: report
        real(c_float), target :: x(size(b, 1), size(b, 2))
        integer(c_int) :: outcome

        x = b
        call solve_views(clsolve_matrix_of(x), outcome, message, op, options, context, report, sparse=a)
        if (outcome /= CLSOLVE_OK) x = ieee_value(1.0_c_float, ieee_quiet_nan)
        if (present(status)) status = outcome
    end function solve_csr_f32_2

    ! The solution of op(A) x = b. It is NaN on any status but OK.
    function solve_f64_1(a, b, status, message, op, options, context, report) result(x)
        real(c_double), intent(in), target :: a(:, :)
        real(c_double), intent(in) :: b(:)
        integer(c_int), intent(out), optional :: status
        character(len=*), intent(out), optional :: message
        integer(c_int), intent(in), optional :: op
        type(clsolve_solver_options), intent(in), optional :: options
        class(clsolve_context), intent(in), optional :: context
        type(clsolve_solve_report), intent(inout), optional :: report
        real(c_double), target :: x(size(b))
        integer(c_int) :: outcome

        x = b
        call solve_views(clsolve_matrix_of(x), outcome, message, op, options, context, report, clsolve_matrix_of(a))
        if (outcome /= CLSOLVE_OK) x = ieee_value(1.0_c_double, ieee_quiet_nan)
        if (present(status)) status = outcome
    end function solve_f64_1

    ! The same for a sparse A, a view of clsolve_csr_of.
    function solve_csr_f64_1(a, b, status, message, op, options, context, report) result(x)
        type(clsolve_csr), intent(in) :: a
        real(c_double), intent(in) :: b(:)
        integer(c_int), intent(out), optional :: status
        character(len=*), intent(out), optional :: message
        integer(c_int), intent(in), optional :: op
        type(clsolve_solver_options), intent(in), optional :: options
        class(clsolve_context), intent(in), optional :: context
        type(clsolve_solve_report), intent(inout), optional :: report
        real(c_double), target :: x(size(b))
        integer(c_int) :: outcome

        x = b
        call solve_views(clsolve_matrix_of(x), outcome, message, op, options, context, report, sparse=a)
        if (outcome /= CLSOLVE_OK) x = ieee_value(1.0_c_double, ieee_quiet_nan)
        if (present(status)) status = outcome
    end function solve_csr_f64_1

    ! The solution of op(A) x = b. It is NaN on any status but OK.
    function solve_f64_2(a, b, status, message, op, options, context, report) result(x)
        real(c_double), intent(in), target :: a(:, :)
        real(c_double), intent(in) :: b(:, :)
        integer(c_int), intent(out), optional :: status
        character(len=*), intent(out), optional :: message
        integer(c_int), intent(in), optional :: op
        type(clsolve_solver_options), intent(in), optional :: options
        class(clsolve_context), intent(in), optional :: context
        type(clsolve_solve_report), intent(inout), optional :: report
        real(c_double), target :: x(size(b, 1), size(b, 2))
        integer(c_int) :: outcome

        x = b
        call solve_views(clsolve_matrix_of(x), outcome, message, op, options, context, report, clsolve_matrix_of(a))
        if (outcome /= CLSOLVE_OK) x = ieee_value(1.0_c_double, ieee_quiet_nan)
        if (present(status)) status = outcome
    end function solve_f64_2

    ! The same for a sparse A, a view of clsolve_csr_of.
    function solve_csr_f64_2(a, b, status, message, op, options, context, report) result(x)
        type(clsolve_csr), intent(in) :: a
        real(c_double), intent(in) :: b(:, :)
        integer(c_int), intent(out), optional :: status
        character(len=*), intent(out), optional :: message
        integer(c_int), intent(in), optional :: op
        type(clsolve_solver_options), intent(in), optional :: options
        class(clsolve_context), intent(in), optional :: context
        type(clsolve_solve_report), intent(inout), optional :: report
        real(c_double), target :: x(size(b, 1), size(b, 2))
        integer(c_int) :: outcome

        x = b
        call solve_views(clsolve_matrix_of(x), outcome, message, op, options, context, report, sparse=a)
        if (outcome /= CLSOLVE_OK) x = ieee_value(1.0_c_double, ieee_quiet_nan)
        if (present(status)) status = outcome
    end function solve_csr_f64_2

    ! The solution of op(A) x = b. It is NaN on any status but OK.
    function solve_c32_1(a, b, status, message, op, options, context, report) result(x)
        complex(c_float_complex), intent(in), target :: a(:, :)
        complex(c_float_complex), intent(in) :: b(:)
        integer(c_int), intent(out), optional :: status
        character(len=*), intent(out), optional :: message
        integer(c_int), intent(in), optional :: op
        type(clsolve_solver_options), intent(in), optional :: options
        class(clsolve_context), intent(in), optional :: context
        type(clsolve_solve_report), intent(inout), optional :: report
        complex(c_float_complex), target :: x(size(b))
        integer(c_int) :: outcome

        x = b
        call solve_views(clsolve_matrix_of(x), outcome, message, op, options, context, report, clsolve_matrix_of(a))
        if (outcome /= CLSOLVE_OK) x = ieee_value(1.0_c_float, ieee_quiet_nan)
        if (present(status)) status = outcome
    end function solve_c32_1

    ! The same for a sparse A, a view of clsolve_csr_of.
    function solve_csr_c32_1(a, b, status, message, op, options, context, report) result(x)
        type(clsolve_csr), intent(in) :: a
        complex(c_float_complex), intent(in) :: b(:)
        integer(c_int), intent(out), optional :: status
        character(len=*), intent(out), optional :: message
        integer(c_int), intent(in), optional :: op
        type(clsolve_solver_options), intent(in), optional :: options
        class(clsolve_context), intent(in), optional :: context
        type(clsolve_solve_report), intent(inout), optional :: report
        complex(c_float_complex), target :: x(size(b))
        integer(c_int) :: outcome

        x = b
        call solve_views(clsolve_matrix_of(x), outcome, message, op, options, context, report, sparse=a)
        if (outcome /= CLSOLVE_OK) x = ieee_value(1.0_c_float, ieee_quiet_nan)
        if (present(status)) status = outcome
    end function solve_csr_c32_1

    ! The solution of op(A) x = b. It is NaN on any status but OK.
    function solve_c32_2(a, b, status, message, op, options, context, report) result(x)
        complex(c_float_complex), intent(in), target :: a(:, :)
        complex(c_float_complex), intent(in) :: b(:, :)
        integer(c_int), intent(out), optional :: status
        character(len=*), intent(out), optional :: message
        integer(c_int), intent(in), optional :: op
        type(clsolve_solver_options), intent(in), optional :: options
        class(clsolve_context), intent(in), optional :: context
        type(clsolve_solve_report), intent(inout), optional :: report
        complex(c_float_complex), target :: x(size(b, 1), size(b, 2))
        integer(c_int) :: outcome

        x = b
        call solve_views(clsolve_matrix_of(x), outcome, message, op, options, context, report, clsolve_matrix_of(a))
        if (outcome /= CLSOLVE_OK) x = ieee_value(1.0_c_float, ieee_quiet_nan)
        if (present(status)) status = outcome
    end function solve_c32_2

    ! The same for a sparse A, a view of clsolve_csr_of.
    function solve_csr_c32_2(a, b, status, message, op, options, context, report) result(x)
        type(clsolve_csr), intent(in) :: a
        complex(c_float_complex), intent(in) :: b(:, :)
        integer(c_int), intent(out), optional :: status
        character(len=*), intent(out), optional :: message
        integer(c_int), intent(in), optional :: op
        type(clsolve_solver_options), intent(in), optional :: options
        class(clsolve_context), intent(in), optional :: context
        type(clsolve_solve_report), intent(inout), optional :: report
        complex(c_float_complex), target :: x(size(b, 1), size(b, 2))
        integer(c_int) :: outcome

        x = b
        call solve_views(clsolve_matrix_of(x), outcome, message, op, options, context, report, sparse=a)
        if (outcome /= CLSOLVE_OK) x = ieee_value(1.0_c_float, ieee_quiet_nan)
        if (present(status)) status = outcome
    end function solve_csr_c32_2

    ! The solution of op(A) x = b. It is NaN on any status but OK.
    function solve_c64_1(a, b, status, message, op, options, context, report) result(x)
        complex(c_double_complex), intent(in), target :: a(:, :)
        complex(c_double_complex), intent(in) :: b(:)
        integer(c_int), intent(out), optional :: status
        character(len=*), intent(out), optional :: message
        integer(c_int), intent(in), optional :: op
        type(clsolve_solver_options), intent(in), optional :: options
        class(clsolve_context), intent(in), optional :: context
        type(clsolve_solve_report), intent(inout), optional :: report
        complex(c_double_complex), target :: x(size(b))
        integer(c_int) :: outcome

        x = b
        call solve_views(clsolve_matrix_of(x), outcome, message, op, options, context, report, clsolve_matrix_of(a))
        if (outcome /= CLSOLVE_OK) x = ieee_value(1.0_c_double, ieee_quiet_nan)
        if (present(status)) status = outcome
    end function solve_c64_1

    ! The same for a sparse A, a view of clsolve_csr_of.
    function solve_csr_c64_1(a, b, status, message, op, options, context, report) result(x)
        type(clsolve_csr), intent(in) :: a
        complex(c_double_complex), intent(in) :: b(:)
        integer(c_int), intent(out), optional :: status
        character(len=*), intent(out), optional :: message
        integer(c_int), intent(in), optional :: op
        type(clsolve_solver_options), intent(in), optional :: options
        class(clsolve_context), intent(in), optional :: context
        type(clsolve_solve_report), intent(inout), optional :: report
        complex(c_double_complex), target :: x(size(b))
        integer(c_int) :: outcome

        x = b
        call solve_views(clsolve_matrix_of(x), outcome, message, op, options, context, report, sparse=a)
        if (outcome /= CLSOLVE_OK) x = ieee_value(1.0_c_double, ieee_quiet_nan)
        if (present(status)) status = outcome
    end function solve_csr_c64_1

    ! The solution of op(A) x = b. It is NaN on any status but OK.
    function solve_c64_2(a, b, status, message, op, options, context, report) result(x)
        complex(c_double_complex), intent(in), target :: a(:, :)
        complex(c_double_complex), intent(in) :: b(:, :)
        integer(c_int), intent(out), optional :: status
        character(len=*), intent(out), optional :: message
        integer(c_int), intent(in), optional :: op
        type(clsolve_solver_options), intent(in), optional :: options
        class(clsolve_context), intent(in), optional :: context
        type(clsolve_solve_report), intent(inout), optional :: report
        complex(c_double_complex), target :: x(size(b, 1), size(b, 2))
        integer(c_int) :: outcome

        x = b
        call solve_views(clsolve_matrix_of(x), outcome, message, op, options, context, report, clsolve_matrix_of(a))
        if (outcome /= CLSOLVE_OK) x = ieee_value(1.0_c_double, ieee_quiet_nan)
        if (present(status)) status = outcome
    end function solve_c64_2

    ! The same for a sparse A, a view of clsolve_csr_of.
    function solve_csr_c64_2(a, b, status, message, op, options, context, report) result(x)
        type(clsolve_csr), intent(in) :: a
        complex(c_double_complex), intent(in) :: b(:, :)
        integer(c_int), intent(out), optional :: status
        character(len=*), intent(out), optional :: message
        integer(c_int), intent(in), optional :: op
        type(clsolve_solver_options), intent(in), optional :: options
        class(clsolve_context), intent(in), optional :: context
        type(clsolve_solve_report), intent(inout), optional :: report
        complex(c_double_complex), target :: x(size(b, 1), size(b, 2))
        integer(c_int) :: outcome

        x = b
        call solve_views(clsolve_matrix_of(x), outcome, message, op, options, context, report, sparse=a)
        if (outcome /= CLSOLVE_OK) x = ieee_value(1.0_c_double, ieee_quiet_nan)
        if (present(status)) status = outcome
    end function solve_csr_c64_2

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
! views.f90: the part of module clsolve that makes views of arrays. friendly.f90 explains the repeated blocks.


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

    function matrix_of_f32_1(a) result(view)
        real(c_float), intent(in), target :: a(:)
        type(clsolve_matrix) :: view
        type(c_ptr) :: near(3)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1))
        if (size(a, kind=c_int64_t) > 1) near(2) = c_loc(a(2))
        view = matrix_at(CLSOLVE_F32, 4, size(a, kind=c_int64_t), 1_c_int64_t, near)
    end function matrix_of_f32_1

    function matrix_of_f32_2(a) result(view)
        real(c_float), intent(in), target :: a(:, :)
        type(clsolve_matrix) :: view
        type(c_ptr) :: near(3)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1, 1))
        if (filled .and. size(a, 1) > 1) near(2) = c_loc(a(2, 1))
        if (filled .and. size(a, 2) > 1) near(3) = c_loc(a(1, 2))
        view = matrix_at(CLSOLVE_F32, 4, size(a, 1, c_int64_t), size(a, 2, c_int64_t), near)
    end function matrix_of_f32_2

    ! a(:, m) is member m of a batch, a vector.
    function batch_of_f32_2(a) result(view)
        real(c_float), intent(in), target :: a(:, :)
        type(clsolve_batch) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1, 1))
        if (filled .and. size(a, 1) > 1) near(2) = c_loc(a(2, 1))
        if (filled .and. size(a, 2) > 1) near(4) = c_loc(a(1, 2))
        view = batch_at(CLSOLVE_F32, 4, [size(a, 1, c_int64_t), 1_c_int64_t, size(a, 2, c_int64_t)], near)
    end function batch_of_f32_2

    ! a(:, :, m) is member m of a batch, a matrix.
    function batch_of_f32_3(a) result(view)
        real(c_float), intent(in), target :: a(:, :, :)
        type(clsolve_batch) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1, 1, 1))
        if (filled .and. size(a, 1) > 1) near(2) = c_loc(a(2, 1, 1))
        if (filled .and. size(a, 2) > 1) near(3) = c_loc(a(1, 2, 1))
        if (filled .and. size(a, 3) > 1) near(4) = c_loc(a(1, 1, 2))
        view = batch_at(CLSOLVE_F32, 4, shape(a, c_int64_t), near)
    end function batch_of_f32_3

    ! y(j, i) is point j of line i of a grid.
    function grid_of_f32_2(y) result(view)
        real(c_float), intent(in), target :: y(:, :)
        type(clsolve_grid) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(y, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(y(1, 1))
        if (filled .and. size(y, 1) > 1) near(2) = c_loc(y(2, 1))
        if (filled .and. size(y, 2) > 1) near(3) = c_loc(y(1, 2))
        view = grid_at(CLSOLVE_F32, 4, shape(y, c_int64_t), near)
    end function grid_of_f32_2

    ! y(j, i, r) is point j of line i of right-hand side r.
    function grid_of_f32_3(y) result(view)
        real(c_float), intent(in), target :: y(:, :, :)
        type(clsolve_grid) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(y, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(y(1, 1, 1))
        if (filled .and. size(y, 1) > 1) near(2) = c_loc(y(2, 1, 1))
        if (filled .and. size(y, 2) > 1) near(3) = c_loc(y(1, 2, 1))
        if (filled .and. size(y, 3) > 1) near(4) = c_loc(y(1, 1, 2))
        view = grid_at(CLSOLVE_F32, 4, shape(y, c_int64_t), near)
    end function grid_of_f32_3

    function matrix_of_f64_1(a) result(view)
        real(c_double), intent(in), target :: a(:)
        type(clsolve_matrix) :: view
        type(c_ptr) :: near(3)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1))
        if (size(a, kind=c_int64_t) > 1) near(2) = c_loc(a(2))
        view = matrix_at(CLSOLVE_F64, 8, size(a, kind=c_int64_t), 1_c_int64_t, near)
    end function matrix_of_f64_1

    function matrix_of_f64_2(a) result(view)
        real(c_double), intent(in), target :: a(:, :)
        type(clsolve_matrix) :: view
        type(c_ptr) :: near(3)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1, 1))
        if (filled .and. size(a, 1) > 1) near(2) = c_loc(a(2, 1))
        if (filled .and. size(a, 2) > 1) near(3) = c_loc(a(1, 2))
        view = matrix_at(CLSOLVE_F64, 8, size(a, 1, c_int64_t), size(a, 2, c_int64_t), near)
    end function matrix_of_f64_2

    ! a(:, m) is member m of a batch, a vector.
    function batch_of_f64_2(a) result(view)
        real(c_double), intent(in), target :: a(:, :)
        type(clsolve_batch) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1, 1))
        if (filled .and. size(a, 1) > 1) near(2) = c_loc(a(2, 1))
        if (filled .and. size(a, 2) > 1) near(4) = c_loc(a(1, 2))
        view = batch_at(CLSOLVE_F64, 8, [size(a, 1, c_int64_t), 1_c_int64_t, size(a, 2, c_int64_t)], near)
    end function batch_of_f64_2

    ! a(:, :, m) is member m of a batch, a matrix.
    function batch_of_f64_3(a) result(view)
        real(c_double), intent(in), target :: a(:, :, :)
        type(clsolve_batch) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1, 1, 1))
        if (filled .and. size(a, 1) > 1) near(2) = c_loc(a(2, 1, 1))
        if (filled .and. size(a, 2) > 1) near(3) = c_loc(a(1, 2, 1))
        if (filled .and. size(a, 3) > 1) near(4) = c_loc(a(1, 1, 2))
        view = batch_at(CLSOLVE_F64, 8, shape(a, c_int64_t), near)
    end function batch_of_f64_3

    ! y(j, i) is point j of line i of a grid.
    function grid_of_f64_2(y) result(view)
        real(c_double), intent(in), target :: y(:, :)
        type(clsolve_grid) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(y, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(y(1, 1))
        if (filled .and. size(y, 1) > 1) near(2) = c_loc(y(2, 1))
        if (filled .and. size(y, 2) > 1) near(3) = c_loc(y(1, 2))
        view = grid_at(CLSOLVE_F64, 8, shape(y, c_int64_t), near)
    end function grid_of_f64_2

    ! y(j, i, r) is point j of line i of right-hand side r.
    function grid_of_f64_3(y) result(view)
        real(c_double), intent(in), target :: y(:, :, :)
        type(clsolve_grid) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(y, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(y(1, 1, 1))
        if (filled .and. size(y, 1) > 1) near(2) = c_loc(y(2, 1, 1))
        if (filled .and. size(y, 2) > 1) near(3) = c_loc(y(1, 2, 1))
        if (filled .and. size(y, 3) > 1) near(4) = c_loc(y(1, 1, 2))
        view = grid_at(CLSOLVE_F64, 8, shape(y, c_int64_t), near)
    end function grid_of_f64_3

    function matrix_of_c32_1(a) result(view)
        complex(c_float_complex), intent(in), target :: a(:)
        type(clsolve_matrix) :: view
        type(c_ptr) :: near(3)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1))
        if (size(a, kind=c_int64_t) > 1) near(2) = c_loc(a(2))
        view = matrix_at(CLSOLVE_C32, 8, size(a, kind=c_int64_t), 1_c_int64_t, near)
    end function matrix_of_c32_1

    function matrix_of_c32_2(a) result(view)
        complex(c_float_complex), intent(in), target :: a(:, :)
        type(clsolve_matrix) :: view
        type(c_ptr) :: near(3)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1, 1))
        if (filled .and. size(a, 1) > 1) near(2) = c_loc(a(2, 1))
        if (filled .and. size(a, 2) > 1) near(3) = c_loc(a(1, 2))
        view = matrix_at(CLSOLVE_C32, 8, size(a, 1, c_int64_t), size(a, 2, c_int64_t), near)
    end function matrix_of_c32_2

    ! a(:, m) is member m of a batch, a vector.
    function batch_of_c32_2(a) result(view)
        complex(c_float_complex), intent(in), target :: a(:, :)
        type(clsolve_batch) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1, 1))
        if (filled .and. size(a, 1) > 1) near(2) = c_loc(a(2, 1))
        if (filled .and. size(a, 2) > 1) near(4) = c_loc(a(1, 2))
        view = batch_at(CLSOLVE_C32, 8, [size(a, 1, c_int64_t), 1_c_int64_t, size(a, 2, c_int64_t)], near)
    end function batch_of_c32_2

    ! a(:, :, m) is member m of a batch, a matrix.
    function batch_of_c32_3(a) result(view)
        complex(c_float_complex), intent(in), target :: a(:, :, :)
        type(clsolve_batch) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1, 1, 1))
        if (filled .and. size(a, 1) > 1) near(2) = c_loc(a(2, 1, 1))
        if (filled .and. size(a, 2) > 1) near(3) = c_loc(a(1, 2, 1))
        if (filled .and. size(a, 3) > 1) near(4) = c_loc(a(1, 1, 2))
        view = batch_at(CLSOLVE_C32, 8, shape(a, c_int64_t), near)
    end function batch_of_c32_3

    ! y(j, i) is point j of line i of a grid.
    function grid_of_c32_2(y) result(view)
        complex(c_float_complex), intent(in), target :: y(:, :)
        type(clsolve_grid) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(y, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(y(1, 1))
        if (filled .and. size(y, 1) > 1) near(2) = c_loc(y(2, 1))
        if (filled .and. size(y, 2) > 1) near(3) = c_loc(y(1, 2))
        view = grid_at(CLSOLVE_C32, 8, shape(y, c_int64_t), near)
    end function grid_of_c32_2

    ! y(j, i, r) is point j of line i of right-hand side r.
    function grid_of_c32_3(y) result(view)
        complex(c_float_complex), intent(in), target :: y(:, :, :)
        type(clsolve_grid) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(y, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(y(1, 1, 1))
        if (filled .and. size(y, 1) > 1) near(2) = c_loc(y(2, 1, 1))
        if (filled .and. size(y, 2) > 1) near(3) = c_loc(y(1, 2, 1))
        if (filled .and. size(y, 3) > 1) near(4) = c_loc(y(1, 1, 2))
        view = grid_at(CLSOLVE_C32, 8, shape(y, c_int64_t), near)
    end function grid_of_c32_3

    function matrix_of_c64_1(a) result(view)
        complex(c_double_complex), intent(in), target :: a(:)
        type(clsolve_matrix) :: view
        type(c_ptr) :: near(3)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1))
        if (size(a, kind=c_int64_t) > 1) near(2) = c_loc(a(2))
        view = matrix_at(CLSOLVE_C64, 16, size(a, kind=c_int64_t), 1_c_int64_t, near)
    end function matrix_of_c64_1

    function matrix_of_c64_2(a) result(view)
        complex(c_double_complex), intent(in), target :: a(:, :)
        type(clsolve_matrix) :: view
        type(c_ptr) :: near(3)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1, 1))
        if (filled .and. size(a, 1) > 1) near(2) = c_loc(a(2, 1))
        if (filled .and. size(a, 2) > 1) near(3) = c_loc(a(1, 2))
        view = matrix_at(CLSOLVE_C64, 16, size(a, 1, c_int64_t), size(a, 2, c_int64_t), near)
    end function matrix_of_c64_2

    ! a(:, m) is member m of a batch, a vector.
    function batch_of_c64_2(a) result(view)
        complex(c_double_complex), intent(in), target :: a(:, :)
        type(clsolve_batch) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1, 1))
        if (filled .and. size(a, 1) > 1) near(2) = c_loc(a(2, 1))
        if (filled .and. size(a, 2) > 1) near(4) = c_loc(a(1, 2))
        view = batch_at(CLSOLVE_C64, 16, [size(a, 1, c_int64_t), 1_c_int64_t, size(a, 2, c_int64_t)], near)
    end function batch_of_c64_2

    ! a(:, :, m) is member m of a batch, a matrix.
    function batch_of_c64_3(a) result(view)
        complex(c_double_complex), intent(in), target :: a(:, :, :)
        type(clsolve_batch) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(a, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(a(1, 1, 1))
        if (filled .and. size(a, 1) > 1) near(2) = c_loc(a(2, 1, 1))
        if (filled .and. size(a, 2) > 1) near(3) = c_loc(a(1, 2, 1))
        if (filled .and. size(a, 3) > 1) near(4) = c_loc(a(1, 1, 2))
        view = batch_at(CLSOLVE_C64, 16, shape(a, c_int64_t), near)
    end function batch_of_c64_3

    ! y(j, i) is point j of line i of a grid.
    function grid_of_c64_2(y) result(view)
        complex(c_double_complex), intent(in), target :: y(:, :)
        type(clsolve_grid) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(y, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(y(1, 1))
        if (filled .and. size(y, 1) > 1) near(2) = c_loc(y(2, 1))
        if (filled .and. size(y, 2) > 1) near(3) = c_loc(y(1, 2))
        view = grid_at(CLSOLVE_C64, 16, shape(y, c_int64_t), near)
    end function grid_of_c64_2

    ! y(j, i, r) is point j of line i of right-hand side r.
    function grid_of_c64_3(y) result(view)
        complex(c_double_complex), intent(in), target :: y(:, :, :)
        type(clsolve_grid) :: view
        type(c_ptr) :: near(4)
        logical :: filled

        near = c_null_ptr
        filled = size(y, kind=c_int64_t) > 0
        if (filled) near(1) = c_loc(y(1, 1, 1))
        if (filled .and. size(y, 1) > 1) near(2) = c_loc(y(2, 1, 1))
        if (filled .and. size(y, 2) > 1) near(3) = c_loc(y(1, 2, 1))
        if (filled .and. size(y, 3) > 1) near(4) = c_loc(y(1, 1, 2))
        view = grid_at(CLSOLVE_C64, 16, shape(y, c_int64_t), near)
    end function grid_of_c64_3

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
    function csr_of_i32_f32(row_start, column, values, cols) result(view)
        integer(c_int32_t), intent(in), target :: row_start(:), column(:)
        real(c_float), intent(in), target :: values(:)
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
        view%index = CLSOLVE_I32
        view%rows = sizes(1) - 1
        view%cols = view%rows
        if (present(cols)) view%cols = cols
        view%row_start = near(1)
        view%column = near(3)
        view%values = near(5)
        if (sizes(1) == 0) return ! of no type: every call refuses the view
        first = row_start(1)
        last = row_start(sizes(1))
        if (first < 0 .or. first > 1 .or. last - first > min(sizes(2), sizes(3))) return
        view%base = int(first, c_int32_t)
        apart = [distance(near(1), near(2), 4), distance(near(3), near(4), 4), distance(near(5), near(6), 4)]
        if (all(apart == 0 .or. apart == 1)) view%type = CLSOLVE_F32
    end function csr_of_i32_f32

    function csr_of_i32_f64(row_start, column, values, cols) result(view)
        integer(c_int32_t), intent(in), target :: row_start(:), column(:)
        real(c_double), intent(in), target :: values(:)
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
        view%index = CLSOLVE_I32
        view%rows = sizes(1) - 1
        view%cols = view%rows
        if (present(cols)) view%cols = cols
        view%row_start = near(1)
        view%column = near(3)
        view%values = near(5)
        if (sizes(1) == 0) return ! of no type: every call refuses the view
        first = row_start(1)
        last = row_start(sizes(1))
        if (first < 0 .or. first > 1 .or. last - first > min(sizes(2), sizes(3))) return
        view%base = int(first, c_int32_t)
        apart = [distance(near(1), near(2), 4), distance(near(3), near(4), 4), distance(near(5), near(6), 8)]
        if (all(apart == 0 .or. apart == 1)) view%type = CLSOLVE_F64
    end function csr_of_i32_f64

    function csr_of_i32_c32(row_start, column, values, cols) result(view)
        integer(c_int32_t), intent(in), target :: row_start(:), column(:)
        complex(c_float_complex), intent(in), target :: values(:)
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
        view%index = CLSOLVE_I32
        view%rows = sizes(1) - 1
        view%cols = view%rows
        if (present(cols)) view%cols = cols
        view%row_start = near(1)
        view%column = near(3)
        view%values = near(5)
        if (sizes(1) == 0) return ! of no type: every call refuses the view
        first = row_start(1)
        last = row_start(sizes(1))
        if (first < 0 .or. first > 1 .or. last - first > min(sizes(2), sizes(3))) return
        view%base = int(first, c_int32_t)
        apart = [distance(near(1), near(2), 4), distance(near(3), near(4), 4), distance(near(5), near(6), 8)]
        if (all(apart == 0 .or. apart == 1)) view%type = CLSOLVE_C32
    end function csr_of_i32_c32

    function csr_of_i32_c64(row_start, column, values, cols) result(view)
        integer(c_int32_t), intent(in), target :: row_start(:), column(:)
        complex(c_double_complex), intent(in), target :: values(:)
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
        view%index = CLSOLVE_I32
        view%rows = sizes(1) - 1
        view%cols = view%rows
        if (present(cols)) view%cols = cols
        view%row_start = near(1)
        view%column = near(3)
        view%values = near(5)
        if (sizes(1) == 0) return ! of no type: every call refuses the view
        first = row_start(1)
        last = row_start(sizes(1))
        if (first < 0 .or. first > 1 .or. last - first > min(sizes(2), sizes(3))) return
        view%base = int(first, c_int32_t)
        apart = [distance(near(1), near(2), 4), distance(near(3), near(4), 4), distance(near(5), near(6), 16)]
        if (all(apart == 0 .or. apart == 1)) view%type = CLSOLVE_C64
    end function csr_of_i32_c64

    function csr_of_i64_f32(row_start, column, values, cols) result(view)
        integer(c_int64_t), intent(in), target :: row_start(:), column(:)
        real(c_float), intent(in), target :: values(:)
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
        view%index = CLSOLVE_I64
        view%rows = sizes(1) - 1
        view%cols = view%rows
        if (present(cols)) view%cols = cols
        view%row_start = near(1)
        view%column = near(3)
        view%values = near(5)
        if (sizes(1) == 0) return ! of no type: every call refuses the view
        first = row_start(1)
        last = row_start(sizes(1))
        if (first < 0 .or. first > 1 .or. last - first > min(sizes(2), sizes(3))) return
        view%base = int(first, c_int32_t)
        apart = [distance(near(1), near(2), 8), distance(near(3), near(4), 8), distance(near(5), near(6), 4)]
        if (all(apart == 0 .or. apart == 1)) view%type = CLSOLVE_F32
    end function csr_of_i64_f32

    function csr_of_i64_f64(row_start, column, values, cols) result(view)
        integer(c_int64_t), intent(in), target :: row_start(:), column(:)
        real(c_double), intent(in), target :: values(:)
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
        view%index = CLSOLVE_I64
        view%rows = sizes(1) - 1
        view%cols = view%rows
        if (present(cols)) view%cols = cols
        view%row_start = near(1)
        view%column = near(3)
        view%values = near(5)
        if (sizes(1) == 0) return ! of no type: every call refuses the view
        first = row_start(1)
        last = row_start(sizes(1))
        if (first < 0 .or. first > 1 .or. last - first > min(sizes(2), sizes(3))) return
        view%base = int(first, c_int32_t)
        apart = [distance(near(1), near(2), 8), distance(near(3), near(4), 8), distance(near(5), near(6), 8)]
        if (all(apart == 0 .or. apart == 1)) view%type = CLSOLVE_F64
    end function csr_of_i64_f64

    function csr_of_i64_c32(row_start, column, values, cols) result(view)
        integer(c_int64_t), intent(in), target :: row_start(:), column(:)
        complex(c_float_complex), intent(in), target :: values(:)
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
        view%index = CLSOLVE_I64
        view%rows = sizes(1) - 1
        view%cols = view%rows
        if (present(cols)) view%cols = cols
        view%row_start = near(1)
        view%column = near(3)
        view%values = near(5)
        if (sizes(1) == 0) return ! of no type: every call refuses the view
        first = row_start(1)
        last = row_start(sizes(1))
        if (first < 0 .or. first > 1 .or. last - first > min(sizes(2), sizes(3))) return
        view%base = int(first, c_int32_t)
        apart = [distance(near(1), near(2), 8), distance(near(3), near(4), 8), distance(near(5), near(6), 8)]
        if (all(apart == 0 .or. apart == 1)) view%type = CLSOLVE_C32
    end function csr_of_i64_c32

    function csr_of_i64_c64(row_start, column, values, cols) result(view)
        integer(c_int64_t), intent(in), target :: row_start(:), column(:)
        complex(c_double_complex), intent(in), target :: values(:)
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
        view%index = CLSOLVE_I64
        view%rows = sizes(1) - 1
        view%cols = view%rows
        if (present(cols)) view%cols = cols
        view%row_start = near(1)
        view%column = near(3)
        view%values = near(5)
        if (sizes(1) == 0) return ! of no type: every call refuses the view
        first = row_start(1)
        last = row_start(sizes(1))
        if (first < 0 .or. first > 1 .or. last - first > min(sizes(2), sizes(3))) return
        view%base = int(first, c_int32_t)
        apart = [distance(near(1), near(2), 8), distance(near(3), near(4), 8), distance(near(5), near(6), 16)]
        if (all(apart == 0 .or. apart == 1)) view%type = CLSOLVE_C64
    end function csr_of_i64_c64

end module clsolve
