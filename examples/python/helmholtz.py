"""Sound around pillars: the Helmholtz equation outside of circles, by a dense complex system. --picture FILE draws it.

A plane wave exp(i k d.x) comes in, and the pressure is zero on the pillars. The scattered wave is a sum of point
sources inside them, each H(k r), Hankel's function of order 0 and the first kind. Their strengths are such that the sum
cancels the incoming wave at as many points of the surface: the method of fundamental solutions.
"""

import argparse

import numpy as np
from scipy.special import hankel1

import clsolve

WAVE_NUMBER, RADIUS, SOURCE_RADIUS, POINTS = 9.0, 0.4, 0.24, 60
CENTRES = np.array([[0.0, -2.4], [0.0, -1.2], [0.0, 0.0], [0.0, 1.2], [0.0, 2.4]])


def circles(radius, turn=0.0):
    angle = 2 * np.pi * (np.arange(POINTS) + turn) / POINTS
    return (CENTRES[:, None] + radius * np.stack([np.cos(angle), np.sin(angle)], axis=-1)).reshape(-1, 2)


def waves_of_sources(points, sources):
    return hankel1(0, WAVE_NUMBER * np.linalg.norm(points[:, None] - sources[None], axis=-1))


def incoming(points, degrees):
    direction = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    return np.exp(1j * WAVE_NUMBER * points @ direction)


def draw(file, sources, strengths, degrees):
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "helmholtz"})  # the same file each time
    import matplotlib.pyplot as plt

    x, y = np.linspace(-3, 5, 200), np.linspace(-3.2, 3.2, 160)
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    field = incoming(points, degrees) + waves_of_sources(points, sources) @ strengths
    inside = (np.linalg.norm(points[:, None] - CENTRES[None], axis=-1) < RADIUS).any(axis=1)
    field = np.ma.masked_where(inside, field.real).reshape(y.size, x.size)
    figure, axes = plt.subplots(figsize=(4.8, 3.9))
    image = axes.imshow(field, extent=(x[0], x[-1], y[0], y[-1]), origin="lower", cmap="RdBu_r", vmin=-2, vmax=2)
    image.set_interpolation("none")
    figure.colorbar(image, label="pressure, in that of the incoming wave", shrink=0.8)
    axes.set(xlabel="x", ylabel="y")
    figure.savefig(file, dpi=100, bbox_inches="tight", metadata={"Date": None} if file.endswith("svg") else None)


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--picture", metavar="FILE", help="a PNG or SVG of the waves; needs matplotlib")
picture = parser.parse_args().picture

sources, surface = circles(SOURCE_RADIUS), circles(RADIUS)
directions = [0.0, 30.0]  # of two incoming waves: two right-hand sides
lu = clsolve.lu_factor(waves_of_sources(surface, sources), rcond=True)
strengths = lu.solve(-np.stack([incoming(surface, degrees) for degrees in directions], axis=1))

between = circles(RADIUS, turn=0.5)  # where nothing was asked for
left = waves_of_sources(between, sources) @ strengths
left += np.stack([incoming(between, degrees) for degrees in directions], axis=1)
print(f"{len(sources)} complex unknowns, condition {1 / lu.rcond:.0e}, solved on the {lu.report.where}")
print("pressure on the pillars below 1e-4 of the wave's:", "yes" if np.abs(left).max() < 1e-4 else "no")
if picture:
    draw(picture, sources, strengths[:, 0], directions[0])
    print("picture:", picture)
