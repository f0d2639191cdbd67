"""The shared library through ctypes: its structures, its calls and its statuses.

The structures repeat those of include/clsolve/*.h. tests/test_layout.py compares sizes, offsets and enumerations with
the headers. ctypes releases the GIL during each call.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import sys
from ctypes import POINTER, Structure, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from pathlib import Path

F32, F64, C32, C64 = 1, 2, 3, 4
COLUMN_MAJOR, ROW_MAJOR = 1, 2
NO_TRANS, TRANS, CONJ_TRANS = 0, 1, 2
LOWER, UPPER = 0, 1
ON_HOST, ON_DEVICE = 0, 1
ITEM = {F32: 4, F64: 8, C32: 8, C64: 16}  # bytes of an element
I32, I64 = 1, 2
NORM_ONE, NORM_INF = 0, 1
BATCH_LARGEST = 64  # CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST
RCOND_IF_ILL = 2  # CLSOLVE_RCOND_IF_ILL
LU_BATCH_LARGEST = 4096  # CLSOLVE_LU_BATCH_LARGEST
CHOLESKY_BATCH_LARGEST = 4096  # CLSOLVE_CHOLESKY_BATCH_LARGEST
LDL_BATCH_LARGEST = 64  # CLSOLVE_LDL_BATCH_LARGEST
SCALED_UNIFORMLY = 4
ORDER_GIVEN = 5

# The words that options take, by the enumeration's prefix in the headers.
WORDS: dict[str, dict[str, int]] = {
    "WHERE": {"auto": 0, "device": 1, "host": 2},
    "PANEL": {"auto": 0, "native": 1, "hybrid": 2},
    "PRECISION": {"auto": 0, "mixed": 1, "working": 2},
    "PIVOTING": {"auto": 0, "partial": 1, "none": 2, "tournament": 3, "rbt": 4},
    "METHOD": {
        "auto": 0,
        "lu": 1,
        "gauss_jordan": 2,
        "band": 3,
        "block_gs": 4,
        "cholesky": 5,
        "sparse_lu": 6,
        "sparse_cholesky": 7,
        "ldl": 8,
        "sparse_ldl": 9,
    },
    "ORDER": {"auto": 0, "amd": 1, "metis": 2, "natural": 3, "nested": 4},
    "BLOCK_GS": {
        "auto": 0,
        "sweeps": 1,
        "gauss_seidel": 2,
        "sor": 3,
        "multigrid": 4,
        "cg": 5,
        "bicgstab": 6,
        "fgmres": 7,
        "cocg": 8,
    },
    "BLOCK_GS_PRECONDITIONER": {"auto": 0, "zebra": 1, "multigrid": 2, "none": 3},
    "BLOCK_GS_CYCLE": {"v": 0, "w": 1, "f": 2},
}

STATUS: dict[int, str] = {
    0: "OK",
    1: "SINGULAR",
    2: "NOT_CONVERGED",
    3: "OVERFLOW",
    4: "NOT_POSITIVE_DEFINITE",
    -1: "ERROR_INVALID_ARGUMENT",
    -2: "ERROR_NONFINITE",
    -3: "ERROR_OUT_OF_MEMORY",
    -4: "ERROR_OUT_OF_DEVICE_MEMORY",
    -5: "ERROR_NO_DEVICE",
    -6: "ERROR_DEVICE",
    -7: "ERROR_BUILD",
    -8: "ERROR_UNSUPPORTED",
    -9: "ERROR_STATE",
    -10: "ERROR_FILE",
    -11: "ERROR_BUSY",
    -12: "ERROR_FORKED",
}
OUT_OF_DEVICE_MEMORY = -4
DEVICE_TYPES = {1: "cpu", 2: "gpu", 3: "other"}

Progress = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_double)


class Matrix(Structure):
    _fields_ = [
        ("type", c_int),
        ("layout", c_int),
        ("rows", c_int64),
        ("cols", c_int64),
        ("ld", c_int64),
        ("data", c_void_p),
        ("place", c_int),
        ("offset", c_int64),
    ]


class Batch(Structure):
    _fields_ = [
        ("type", c_int),
        ("layout", c_int),
        ("count", c_int64),
        ("rows", c_int64),
        ("cols", c_int64),
        ("ld", c_int64),
        ("stride", c_int64),
        ("offsets", c_void_p),
        ("data", c_void_p),
        ("place", c_int),
        ("offset", c_int64),
    ]


class Grid(Structure):
    _fields_ = [
        ("type", c_int),
        ("line_stride", c_int64),
        ("stride", c_int64),
        ("rhs_stride", c_int64),
        ("data", c_void_p),
        ("place", c_int),
        ("offset", c_int64),
    ]


class Csr(Structure):
    _fields_ = [
        ("type", c_int),
        ("index", c_int),
        ("base", c_int32),
        ("rows", c_int64),
        ("cols", c_int64),
        ("row_start", c_void_p),
        ("column", c_void_p),
        ("values", c_void_p),
    ]


class DeviceInfo(Structure):
    _fields_ = [
        ("selector", c_char * 32),
        ("backend", c_char * 16),
        ("name", c_char * 128),
        ("vendor", c_char * 128),
        ("platform", c_char * 128),
        ("version", c_char * 128),
        ("driver", c_char * 128),
        ("type", c_int),
        ("compute_units", c_int32),
        ("clock_mhz", c_int32),
        ("max_work_group", c_int64),
        ("local_memory", c_int64),
        ("global_memory", c_int64),
        ("max_allocation", c_int64),
        ("fp64", c_int),
        ("host_memory", c_int),
        ("reserved", c_int64 * 8),
    ]


class ContextOptions(Structure):
    _fields_ = [
        ("selector", c_char_p),
        ("cache_folder", c_char_p),
        ("message", c_char_p),
        ("message_size", c_size_t),
        ("reserved", c_int64 * 8),
    ]


class LuOptions(Structure):
    _fields_ = [
        ("panel", c_int),
        ("block", c_int32),
        ("slab_bytes", c_int64),
        ("progress", Progress),
        ("progress_user", c_void_p),
        ("precision", c_int),
        ("rcond", c_int32),
        ("equilibrate", c_int32),
        ("refine", c_int32),
        ("memory_limit", c_int64),
        ("pivoting", c_int),
        ("seed", c_uint64),
        ("where", c_int),
        ("nonfinite", c_int32),
        ("reserved", c_int64 * 7),
    ]


class CholeskyOptions(Structure):
    _fields_ = [
        ("panel", c_int),
        ("block", c_int32),
        ("slab_bytes", c_int64),
        ("progress", Progress),
        ("progress_user", c_void_p),
        ("precision", c_int),
        ("rcond", c_int32),
        ("equilibrate", c_int32),
        ("refine", c_int32),
        ("memory_limit", c_int64),
        ("where", c_int),
        ("reserved", c_int64 * 8),
    ]


class LdlOptions(Structure):
    _fields_ = [
        ("panel", c_int),
        ("block", c_int32),
        ("slab_bytes", c_int64),
        ("progress", Progress),
        ("progress_user", c_void_p),
        ("precision", c_int),
        ("rcond", c_int32),
        ("equilibrate", c_int32),
        ("refine", c_int32),
        ("memory_limit", c_int64),
        ("where", c_int),
        ("symmetry", c_int),
        ("pivots", c_int),
        ("reserved_number", c_int32),
        ("reserved", c_int64 * 7),
    ]


class BandOptions(Structure):
    _fields_ = [
        ("form", c_int),
        ("panel", c_int),
        ("block", c_int32),
        ("memory_limit", c_int64),
        ("slab_bytes", c_int64),
        ("progress", Progress),
        ("progress_user", c_void_p),
        ("precision", c_int),
        ("rcond", c_int32),
        ("equilibrate", c_int32),
        ("refine", c_int32),
        ("where", c_int),
        ("nonfinite", c_int32),
        ("reserved", c_int64 * 7),
    ]


class GaussJordanOptions(Structure):
    _fields_ = [
        ("variant", c_int),
        ("pivoting", c_int),
        ("block", c_int32),
        ("slab_bytes", c_int64),
        ("progress", Progress),
        ("progress_user", c_void_p),
        ("where", c_int),
        ("reserved", c_int64 * 7),
    ]


class BandCholeskyOptions(Structure):
    _fields_ = [
        ("rcond", c_int32),
        ("refine", c_int32),
        ("progress", Progress),
        ("progress_user", c_void_p),
        ("precision", c_int),
        ("equilibrate", c_int32),
        ("where", c_int),
        ("block", c_int32),
        ("slab_bytes", c_int64),
        ("memory_limit", c_int64),
        ("reserved", c_int64 * 4),
    ]


class LuBatchOptions(Structure):
    _fields_ = [("where", c_int), ("condition", c_int32), ("reserved", c_int64 * 7)]


class CholeskyBatchOptions(Structure):
    _fields_ = [("where", c_int), ("reserved", c_int64 * 7)]


class LdlBatchOptions(Structure):
    _fields_ = [("where", c_int), ("symmetry", c_int), ("condition", c_int32), ("reserved", c_int64 * 6)]


class SparseBatchOptions(Structure):
    _fields_ = [("where", c_int), ("memory_limit", c_int64), ("reserved", c_int64 * 6)]


class GaussJordanBatchOptions(Structure):
    _fields_ = [("where", c_int), ("reserved", c_int64 * 7)]


class TridiagonalBatchOptions(Structure):
    _fields_ = [("pivoting", c_int), ("where", c_int), ("reserved", c_int64 * 8)]


class BlockGsOptions(Structure):
    _fields_ = [
        ("method", c_int),
        ("preconditioner", c_int),
        ("cycle", c_int),
        ("pivoting", c_int),
        ("smooth_before", c_int32),
        ("smooth_after", c_int32),
        ("sweeps", c_int64),
        ("tolerance", c_double),
        ("max_iterations", c_int64),
        ("omega", c_double),
        ("sequential", c_int32),
        ("jacobi", c_int32),
        ("single_precision", c_int32),
        ("zero_guess", c_int32),
        ("progress", Progress),
        ("progress_user", c_void_p),
        ("reserved", c_int64 * 8),
    ]


class SolverOptions(Structure):
    _fields_ = [
        ("method", c_int),
        ("progress", Progress),
        ("progress_user", c_void_p),
        ("nrhs", c_int64),
        ("panel", c_int),
        ("block", c_int32),
        ("memory_limit", c_int64),
        ("slab_bytes", c_int64),
        ("precision", c_int),
        ("equilibrate", c_int32),
        ("refine", c_int32),
        ("rcond", c_int32),
        ("pivoting", c_int),
        ("seed", c_uint64),
        ("variant", c_int),
        ("iteration", c_int),
        ("tolerance", c_double),
        ("max_iterations", c_int64),
        ("where", c_int),
        ("order", c_int),
        ("permutation", c_void_p),
        ("reserved", c_int64 * 6),
    ]


class Seconds(Structure):
    _fields_ = [(name, c_double) for name in ("build", "upload", "factor", "solve", "download", "total")]


class Inertia(Structure):
    _fields_ = [(name, c_int64) for name in ("positive", "negative", "zero")]


class ReportDirect(Structure):
    _fields_ = [
        ("rcond", c_double),
        ("rcond_is_bound", c_int32),
        ("growth", c_double),
        ("log_abs_det", c_double),
        ("det_sign", c_int32),
        ("det_precision", c_char_p),
        ("equilibrated", c_int32),
        ("fallback", c_char_p),
        ("pivoting", c_char_p),
        ("pivoting_used", c_char_p),
        ("pivoting_fallback", c_char_p),
        ("seed", c_uint64),
        ("fallback_reason", c_int),
        ("det_phase", c_double),
        ("devices", c_int64),
        ("inertia", Inertia),
        ("reserved", c_int64 * 2),
    ]


class ReportRefinement(Structure):
    _fields_ = [
        ("backward_error", c_double),
        ("gmres_iterations", c_int64),
        ("history_length", c_int64),
        ("history", c_double * 32),
        ("reserved", c_int64 * 8),
    ]


class ReportBand(Structure):
    _fields_ = [
        ("lower", c_int64),
        ("upper", c_int64),
        ("block", c_int64),
        ("panel", c_char_p),
        ("reserved", c_int64 * 8),
    ]


class ReportBlockGs(Structure):
    _fields_ = [
        ("method", c_char_p),
        ("reason", c_char_p),
        ("relative_residual", c_double),
        ("history", POINTER(c_double)),
        ("history_count", c_int64),
        ("omega", c_double),
        ("symmetric", c_int32),
        ("singular", c_int32),
        ("pivoted", c_int32),
        ("levels", c_int64),
        ("failed", c_int64),
        ("first_failed", c_int64),
        ("reserved", c_int64 * 8),
    ]


class Report(Structure):
    _fields_ = [
        ("status", c_int),
        ("method", c_char_p),
        ("n", c_int64),
        ("nrhs", c_int64),
        ("members", c_int64),
        ("info", c_int64),
        ("member", c_int64),
        ("iterations", c_int64),
        ("seconds", Seconds),
        ("bytes_up", c_int64),
        ("bytes_down", c_int64),
        ("transfers_up", c_int64),
        ("transfers_down", c_int64),
        ("device_bytes", c_int64),
        ("host_bytes", c_int64),
        ("slab_columns", c_int64),
        ("slabs", c_int64),
        ("precision", c_char_p),
        ("direct", ReportDirect),
        ("refinement", ReportRefinement),
        ("band", ReportBand),
        ("block_gs", ReportBlockGs),
        ("where", c_char_p),
        ("where_reason", c_char_p),
        ("expected_host", c_double),
        ("expected_device", c_double),
        ("precision_reason", c_char_p),
        ("reserved", c_int64 * 3),
    ]


class SolverAttempt(Structure):
    _fields_ = [("method", c_int), ("status", c_int), ("text", c_char * 512)]


class SolveReport(Structure):
    _fields_ = [
        ("report", Report),
        ("method", c_int),
        ("name", c_char_p),
        ("reason", c_char * 256),
        ("entries", c_int64),
        ("lower", c_int64),
        ("upper", c_int64),
        ("lower_before", c_int64),
        ("upper_before", c_int64),
        ("reordered", c_int32),
        ("symmetric_pattern", c_int32),
        ("symmetric", c_int32),
        ("lines", c_int64),
        ("line_length", c_int64),
        ("backward_error", c_double),
        ("corrections", c_int64),
        ("singular", c_int32),
        ("iteration", c_char * 64),
        ("iteration_reason", c_char * 128),
        ("history", POINTER(c_double)),
        ("history_count", c_int64),
        ("seconds_analysis", c_double),
        ("seconds_factor", c_double),
        ("seconds_solve", c_double),
        ("attempts_count", c_int64),
        ("attempts", SolverAttempt * 4),
        ("reserved", c_int64 * 8),
    ]


class SparseAnalysis(Structure):
    _fields_ = [
        ("n", c_int64),
        ("entries", c_int64),
        ("structural_rank", c_int64),
        ("engine", c_char_p),
        ("order", c_char_p),
        ("matched", c_int32),
        ("blocks", c_int64),
        ("largest_block", c_int64),
        ("factor_entries", c_double),
        ("operations", c_double),
        ("fronts", c_int64),
        ("largest_front", c_int64),
        ("levels", c_int64),
        ("host_bytes", c_double),
        ("delayed", c_int64),
        ("seconds", c_double),
        ("expected_factor", c_double),
        ("expected_solve", c_double),
        ("device_bytes", c_double),
        ("replaced", c_int64),
        ("streamed_bytes", c_double),
        ("devices", c_int64),
        ("first_device_bytes", c_double),
        ("other_device_bytes", c_double),
        ("reserved", c_int64 * 2),
    ]


class SparseBatchAnalysis(Structure):
    _fields_ = [
        ("n", c_int64),
        ("entries", c_int64),
        ("structural_rank", c_int64),
        ("factor_entries", c_int64),
        ("products", c_int64),
        ("levels", c_int64),
        ("portion", c_int64),
        ("again", c_int64),
        ("seconds", c_double),
        ("reserved", c_int64 * 6),
    ]


# The structure of each C type, for the test of the layout.
STRUCTURES: dict[str, type[Structure]] = {
    "clsolve_matrix": Matrix,
    "clsolve_batch": Batch,
    "clsolve_grid": Grid,
    "clsolve_csr": Csr,
    "clsolve_device_info": DeviceInfo,
    "clsolve_context_options": ContextOptions,
    "clsolve_lu_options": LuOptions,
    "clsolve_cholesky_options": CholeskyOptions,
    "clsolve_ldl_options": LdlOptions,
    "clsolve_band_options": BandOptions,
    "clsolve_gauss_jordan_options": GaussJordanOptions,
    "clsolve_lu_batch_options": LuBatchOptions,
    "clsolve_cholesky_batch_options": CholeskyBatchOptions,
    "clsolve_ldl_batch_options": LdlBatchOptions,
    "clsolve_band_cholesky_options": BandCholeskyOptions,
    "clsolve_gauss_jordan_batch_options": GaussJordanBatchOptions,
    "clsolve_tridiagonal_batch_options": TridiagonalBatchOptions,
    "clsolve_block_gs_options": BlockGsOptions,
    "clsolve_solver_options": SolverOptions,
    "clsolve_seconds": Seconds,
    "clsolve_report_direct": ReportDirect,
    "clsolve_report_refinement": ReportRefinement,
    "clsolve_report_band": ReportBand,
    "clsolve_report_block_gs": ReportBlockGs,
    "clsolve_report": Report,
    "clsolve_solver_attempt": SolverAttempt,
    "clsolve_solve_report": SolveReport,
    "clsolve_sparse_analysis": SparseAnalysis,
    "clsolve_sparse_batch_options": SparseBatchOptions,
    "clsolve_sparse_batch_analysis": SparseBatchAnalysis,
}

_P = c_void_p  # a handle, or a structure by reference
# name: the arguments' types. The result is a status unless RESULTS says otherwise.
CALLS: dict[str, list] = {
    "version": [],
    "devices": [_P, c_int64, _P],
    "context_create_with": [_P, _P],
    "context_destroy": [_P],
    "context_message": [_P],
    "context_device": [_P],
    "context_device_at": [_P, c_int64],
    "context_device_count": [_P],
    "context_create_opencl": [_P, _P, _P, _P, _P],
    "context_create_cuda": [c_int, _P, _P, _P],
    "context_follow_opencl": [_P, _P],
    "context_follow_cuda": [_P, _P],
    "calibrate": [_P, c_int],
    "solve": [_P, c_int, _P, _P, _P, _P],
    "solve_csr": [_P, c_int, _P, _P, _P, _P],
    "solver_create": [_P, _P, _P, _P],
    "solver_create_csr": [_P, _P, _P, _P],
    "solver_factor": [_P, _P],
    "solver_factor_csr": [_P, _P],
    "solver_solve": [_P, c_int, _P],
    "solver_report": [_P, _P],
    "solver_factor_values": [_P, _P],
    "solver_sparse_analysis": [_P, _P],
    "solver_sparse_permutations": [_P, _P, _P],
    "solver_destroy": [_P],
    "lu_create": [_P, c_int64, c_int, _P, _P],
    "lu_factor": [_P, _P],
    "lu_solve": [_P, c_int, _P],
    "lu_factors": [_P, _P, _P],
    "lu_import": [_P, _P, _P],
    "lu_is_compiling": [_P, c_int64, c_int],
    "lu_condition": [_P, c_int, c_double, POINTER(c_double)],
    "lu_inverse": [_P, _P],
    "lu_report": [_P, _P],
    "lu_destroy": [_P],
    "lu_batch_create": [_P, c_int64, c_int64, c_int, _P, _P],
    "lu_batch_factor": [_P, _P, _P],
    "lu_batch_solve": [_P, c_int, _P, _P],
    "lu_batch_factor_solve": [_P, c_int, _P, _P, _P],
    "lu_batch_inverse": [_P, _P, _P],
    "lu_batch_determinant": [_P, _P, _P, _P],
    "lu_batch_condition": [_P, _P],
    "lu_batch_factors": [_P, _P, _P],
    "lu_batch_report": [_P, _P],
    "lu_batch_destroy": [_P],
    "cholesky_create": [_P, c_int64, c_int, _P, _P],
    "cholesky_factor": [_P, c_int, _P],
    "cholesky_solve": [_P, _P],
    "cholesky_factors": [_P, c_int, _P],
    "cholesky_import": [_P, c_int, _P],
    "cholesky_condition": [_P, c_double, POINTER(c_double)],
    "cholesky_inverse": [_P, c_int, _P],
    "cholesky_report": [_P, _P],
    "cholesky_destroy": [_P],
    "ldl_create": [_P, c_int64, c_int, _P, _P],
    "ldl_factor": [_P, c_int, _P],
    "ldl_solve": [_P, _P],
    "ldl_inertia": [_P, _P],
    "ldl_factors": [_P, _P, _P],
    "ldl_condition": [_P, c_double, POINTER(c_double)],
    "ldl_inverse": [_P, c_int, _P],
    "ldl_report": [_P, _P],
    "ldl_destroy": [_P],
    "cholesky_batch_create": [_P, c_int64, c_int64, c_int, _P, _P],
    "cholesky_batch_factor": [_P, c_int, _P, _P],
    "cholesky_batch_solve": [_P, _P, _P],
    "cholesky_batch_inverse": [_P, c_int, _P, _P],
    "cholesky_batch_factors": [_P, c_int, _P],
    "cholesky_batch_report": [_P, _P],
    "cholesky_batch_destroy": [_P],
    "ldl_batch_create": [_P, c_int64, c_int64, c_int, _P, _P],
    "ldl_batch_factor": [_P, c_int, _P, _P],
    "ldl_batch_solve": [_P, _P, _P],
    "ldl_batch_inertia": [_P, _P],
    "ldl_batch_determinant": [_P, _P, _P, _P],
    "ldl_batch_condition": [_P, _P],
    "ldl_batch_factors": [_P, _P, _P],
    "ldl_batch_inverse": [_P, c_int, _P, _P],
    "ldl_batch_report": [_P, _P],
    "ldl_batch_destroy": [_P],
    "sparse_batch_create_csr": [_P, _P, c_int64, _P, _P],
    "sparse_batch_factor": [_P, _P, _P],
    "sparse_batch_solve": [_P, c_int, _P, _P],
    "sparse_batch_determinant": [_P, _P, _P, _P],
    "sparse_batch_condition": [_P, _P],
    "sparse_batch_get_analysis": [_P, _P],
    "sparse_batch_report": [_P, _P],
    "sparse_batch_destroy": [_P],
    "band_cholesky_create": [_P, c_int64, c_int64, c_int, _P, _P],
    "band_cholesky_factor": [_P, c_int, _P],
    "band_cholesky_solve": [_P, _P],
    "band_cholesky_factors": [_P, c_int, _P],
    "band_cholesky_import": [_P, c_int, _P],
    "band_cholesky_destroy": [_P],
    "band_create": [_P, c_int64, c_int64, c_int64, c_int, _P, _P],
    "band_factor": [_P, _P],
    "band_solve": [_P, c_int, _P],
    "band_report": [_P, _P],
    "band_destroy": [_P],
    "gauss_jordan_create": [_P, c_int64, c_int, _P, _P],
    "gauss_jordan_invert": [_P, _P, _P],
    "gauss_jordan_report": [_P, _P],
    "gauss_jordan_destroy": [_P],
    "gauss_jordan_batch_create": [_P, c_int64, c_int64, c_int, _P, _P],
    "gauss_jordan_batch_invert": [_P, _P, _P, _P],
    "gauss_jordan_batch_solve": [_P, c_int, _P, _P, _P],
    "gauss_jordan_batch_report": [_P, _P],
    "gauss_jordan_batch_destroy": [_P],
    "tridiagonal_batch_create": [_P, c_int64, c_int64, c_int, _P, _P],
    "tridiagonal_batch_factor": [_P, _P, _P, _P, _P],
    "tridiagonal_batch_solve": [_P, c_int, _P, _P],
    "tridiagonal_batch_report": [_P, _P],
    "tridiagonal_batch_destroy": [_P],
    "block_gs_create": [_P, c_int64, c_int64, c_int, _P, _P],
    "block_gs_factor": [_P, _P, _P, _P, _P, _P],
    "block_gs_solve": [_P, _P, _P, c_int64],
    "block_gs_report": [_P, _P],
    "block_gs_destroy": [_P],
}
RESULTS = {
    "version": c_char_p,
    "context_message": c_char_p,
    "context_device": DeviceInfo,
    "context_device_at": DeviceInfo,
    "context_device_count": c_int64,
}


def _on_windows() -> bool:
    return sys.platform == "win32"


def _folder() -> Path:
    return Path(__file__).resolve().parent


def library_path() -> Path:
    """The file of the library: CLSOLVE_LIBRARY, the package's own, or that of a build next to the sources.

    The name alone is the answer where there is none of these: the system's loader then searches.
    """
    named = os.environ.get("CLSOLVE_LIBRARY")
    if named:
        return Path(named)
    for name in ("bin/clsolve.dll",) if _on_windows() else ("lib/libclsolve.so.0", "lib/libclsolve.0.dylib"):
        if (_folder() / name).exists():
            return _folder() / name
    if _on_windows():
        return Path("clsolve.dll")
    clone = _folder().parent.parent
    if (clone / "build" / "libclsolve.so.0").exists() and (clone / "include" / "clsolve").is_dir():
        return clone / "build" / "libclsolve.so.0"
    return Path("libclsolve.so.0")


def _load_opencl_loader() -> None:
    """Gives the library an OpenCL loader: the system's, or else the package's own copy.

    A library that is loaded under the name libOpenCL.so.1 serves every library that asks for this name.
    """
    try:
        ctypes.CDLL("libOpenCL.so.1")
        return
    except OSError:
        pass
    own = _folder() / "loader" / "libOpenCL.so.1"
    if own.exists():
        ctypes.CDLL(str(own))


def _drivers_from_pip() -> list[str]:
    """The OpenCL drivers that Python packages have brought: pocl-binary-distribution, intel-opencl-rt."""
    site = _folder().parent
    found = [str(file) for file in sorted((site / "pyopencl" / ".libs").glob("libpocl*.so*"))]
    intel = Path(sys.prefix) / ("Library/bin/intelocl64.dll" if _on_windows() else "lib/libintelocl.so")
    return found + ([str(intel)] if intel.exists() else [])


def _registered_drivers() -> set[str]:
    """The OpenCL drivers that the registry of Windows names, in small letters."""
    winreg = importlib.import_module("winreg")  # of Windows alone
    names: set[str] = set()
    try:
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, r"SOFTWARE\Khronos\OpenCL\Vendors") as key:
            for index in range(winreg.QueryInfoKey(key)[1]):
                names.add(str(winreg.EnumValue(key, index)[0]).lower())
    except OSError:
        pass
    return names


def _name_drivers() -> None:
    """Names these drivers to the OpenCL loader, which reads the environment at its first call.

    Khronos' loader adds OCL_ICD_FILENAMES to the system's drivers; on Windows these are in the registry, and a process
    with an administrator's rights reads nothing else. ocl-icd, Debian's loader, takes OCL_ICD_VENDORS in their place:
    it is set only where the system has no driver.
    """
    if os.environ.get("OCL_ICD_FILENAMES") or os.environ.get("OCL_ICD_VENDORS"):
        return
    found = _drivers_from_pip()
    if found and _on_windows():
        registered = _registered_drivers()
        found = [name for name in found if name.lower() not in registered]
    if found:
        os.environ["OCL_ICD_FILENAMES"] = os.pathsep.join(found)
        if not _on_windows() and not list(Path("/etc/OpenCL/vendors").glob("*.icd")):
            os.environ["OCL_ICD_VENDORS"] = found[0]


def _load() -> ctypes.CDLL:
    if sys.platform.startswith("linux"):
        _load_opencl_loader()
        _name_drivers()
    path = library_path()
    if _on_windows():
        _name_drivers()
        if path.is_absolute():  # the DLLs that it needs lie next to it
            os.add_dll_directory(str(path.parent))  # type: ignore[attr-defined]
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        if "libOpenCL" in str(error):
            raise ImportError(
                f"clsolve: there is no OpenCL loader ({error}). Debian and Ubuntu have it in the package "
                "ocl-icd-libopencl1, Fedora in ocl-icd or OpenCL-ICD-Loader; the wheel brings its own"
            ) from error
        raise ImportError(
            f"clsolve: the library cannot be loaded ({error}). Install the wheel, or run `pip install ./python` in a "
            "clone, or name the file of the library in CLSOLVE_LIBRARY"
        ) from error


class _Calls:
    """The calls without their prefix: calls.lu_create is clsolve_lu_create."""

    def __init__(self) -> None:
        handle = _load()
        for name, arguments in CALLS.items():
            try:
                function = getattr(handle, "clsolve_" + name)
            except AttributeError:
                raise ImportError(f"clsolve: {library_path()} has no clsolve_{name}: it is another version") from None
            function.argtypes = arguments
            function.restype = None if name.endswith("_destroy") else RESULTS.get(name, c_int)
            setattr(self, name, function)

    def __getattr__(self, name: str):  # for type checkers: the calls are made above
        raise AttributeError(name)


calls = _Calls()
