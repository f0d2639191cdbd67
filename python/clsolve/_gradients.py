"""Gradients of solve and inv for PyTorch.

    op(A) X = B:   dB = op(A)^-H dX          by the same factors
                   dA = -dB X^H              for op(A) = A
                        -conj(X) dB^T        for A^T
                        -X dB^H              for A^H
    X = A^-1:      dA = -X^H dX X^H

These are PyTorch's gradients: of a real function of complex numbers, the conjugate of Wirtinger's derivative.

The backward functions are made of differentiable ones, so second derivatives exist too.
"""

from __future__ import annotations

from typing import Any, Callable

import torch  # type: ignore[import-not-found]


class Solve(torch.autograd.Function):
    """x of op(a) x = b, both of one type, by solver(a, b, op). op is 0 for a, 1 for a^T, 2 for a^H."""

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any, op: int, solver: Callable[[Any, Any, int], Any]) -> Any:
        with torch.no_grad():
            x = solver(a.detach(), b.detach(), op)
        ctx.save_for_backward(a, x)
        ctx.op, ctx.solver, ctx.vector = op, solver, b.dim() == 1
        ctx.b_shape = b.shape
        return x

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        a, x = ctx.saved_tensors
        if ctx.vector and a.dim() > 2:
            gradient, x = gradient.unsqueeze(-1), x.unsqueeze(-1)
        if ctx.op == 1:  # conj(a) y = gradient
            db = Solve.apply(a, gradient.conj(), 0, ctx.solver).conj()
        else:
            db = Solve.apply(a, gradient, 2 - ctx.op, ctx.solver)
        da = None
        if ctx.needs_input_grad[0]:
            left, right = ((db, x.conj()), (x.conj(), db), (x, db.conj()))[ctx.op]
            if right.dim() == 1:
                left, right = left.unsqueeze(-1), right.unsqueeze(-1)
            da = _sum_to(-left @ right.transpose(-1, -2), a.shape)
        if ctx.vector and a.dim() > 2:
            db = db.squeeze(-1)
        return da, _sum_to(db, ctx.b_shape), None, None


class LuSolve(torch.autograd.Function):
    """lu.solve: the gradient of b alone, because the factors are no function of a tensor."""

    @staticmethod
    def forward(ctx: Any, b: Any, lu: Any, op: int) -> Any:
        ctx.lu, ctx.op, ctx.b_shape = lu, op, b.shape
        return lu.solve(b.detach(), trans=op)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        vectors = len(ctx.b_shape) == 1 and gradient.dim() > 1  # one vector for all members of a stack
        if vectors:
            gradient = gradient.unsqueeze(-1)
        if ctx.op == 1:
            db = LuSolve.apply(gradient.conj(), ctx.lu, 0).conj()
        else:
            db = LuSolve.apply(gradient, ctx.lu, 2 - ctx.op)
        return _sum_to(db.squeeze(-1) if vectors else db, ctx.b_shape), None, None


class Inverse(torch.autograd.Function):
    """The inverse, by inverse(a)."""

    @staticmethod
    def forward(ctx: Any, a: Any, inverse: Callable[[Any], Any]) -> Any:
        x = inverse(a.detach())
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        x = ctx.saved_tensors[0].transpose(-1, -2).conj()  # an output that is saved is differentiable again
        return -x @ gradient @ x, None


def _sum_to(gradient: Any, shape: Any) -> Any:
    """The gradient of an argument that was broadcast."""
    extra = gradient.dim() - len(shape)
    if extra:
        gradient = gradient.sum(dim=tuple(range(extra)))
    for axis, extent in enumerate(shape):
        if extent == 1 and gradient.shape[axis] != 1:
            gradient = gradient.sum(dim=axis, keepdim=True)
    return gradient
