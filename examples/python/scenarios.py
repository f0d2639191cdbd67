"""The power flow of a network over scenarios: Newton's method, all Jacobians factored at once.

Bus 0 feeds a ring of buses with chords, and holds its voltage. The other buses draw a power S, another one in each
scenario. Y has the admittances of the lines; the voltages V fulfil V conj(Y V) = -S. The unknowns are the angles and
the magnitudes of V. Numbers are per unit.
"""

import numpy as np
import scipy.sparse as sp

import clsolve

n, scenarios = 60, 500
rng = np.random.default_rng(1)

# Lines from each bus to the next one, and chords.
i = np.r_[np.arange(n), np.arange(0, n, 5)]
j = np.r_[(np.arange(n) + 1) % n, (np.arange(0, n, 5) + n // 3) % n]
y = 1 / (0.002 + 0.008j) * np.ones(i.size)
Y = sp.coo_matrix((np.r_[y, y, -y, -y], (np.r_[i, j, i, j], np.r_[i, j, j, i])), (n, n)).tocsr()
S = rng.uniform(0, 0.05, (scenarios, n)) * (1 + 0.3j)

# The pattern of the Jacobian: active and reactive power by angle and magnitude, without bus 0. `place` brings the
# derivatives into the order of the rows.
row, column = Y.nonzero()
inner = (row > 0) & (column > 0)
row, column, admittance = row[inner], column[inner], Y.data[inner]
blocks = [(row - 1 + p, column - 1 + q) for p in (0, n - 1) for q in (0, n - 1)]
at = np.concatenate(blocks, axis=1)
pattern = sp.coo_matrix((np.arange(1, at.shape[1] + 1), (at[0], at[1]))).tocsr()
place = pattern.data - 1


def derivatives(V, current):
    by_angle = -1j * V[:, row] * np.conj(admittance * V[:, column])
    by_size = V[:, row] * np.conj(admittance * V[:, column] / abs(V[:, column]))
    same = row == column
    by_angle[:, same] += 1j * V[:, row[same]] * np.conj(current[:, row[same]])
    by_size[:, same] += V[:, row[same]] * np.conj(current[:, row[same]]) / abs(V[:, row[same]])
    return np.concatenate([by_angle.real, by_size.real, by_angle.imag, by_size.imag], axis=1)[:, place]


V, lu = np.ones((scenarios, n), complex), None
for step in range(10):
    current = (Y @ V.T).T
    rest = (V * np.conj(current) + S)[:, 1:]
    worst = abs(rest).max()
    if worst < 1e-10:
        break
    values = derivatives(V, current)
    if lu is None:
        lu = clsolve.splu_batch(sp.csr_matrix((values[0], pattern.indices, pattern.indptr)), values)
    else:
        lu.factor(values)
    change = lu.solve(-np.concatenate([rest.real, rest.imag], axis=1))
    size, angle = abs(V[:, 1:]) + change[:, n - 1 :], np.angle(V[:, 1:]) + change[:, : n - 1]
    V[:, 1:] = size * np.exp(1j * angle)

print(f"{scenarios} scenarios of {2 * n - 2} unknowns: {step} steps, the rest is below 1e-10")
lowest = abs(V).min(axis=1)
print(f"lowest voltage {lowest.min():.3f} in scenario {lowest.argmin()}, on the average {lowest.mean():.3f}")
