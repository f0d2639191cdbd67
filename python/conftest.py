"""Shared by all tests and doctests: the device under test, names for doctests, random numbers with a printed seed."""

import os
import random

import numpy as np
import pytest

import clsolve


collect_ignore = [f"clsolve/{name}.py" for name in ("_cupy", "_gradients", "_pyopencl")]  # they import packages


def _selector():
    named = os.environ.get("CLSOLVE_TEST_DEVICE")
    if named:
        return named
    found = clsolve.devices()
    pocl = [device.selector for device in found if "Portable Computing Language" in device.platform]
    return (pocl or [device.selector for device in found] or ["host"])[0]


SEED = int(os.environ.get("CLSOLVE_TEST_SEED") or random.randrange(2**31))


def pytest_report_header(config):
    return f"clsolve {clsolve.__version__}, numpy {np.__version__}, CLSOLVE_TEST_SEED={SEED}, device {_selector()}"


@pytest.fixture(scope="session")
def selector():
    return _selector()


@pytest.fixture(scope="session")
def session_context(selector):
    with clsolve.Context(selector) as context:
        yield context


@pytest.fixture(autouse=True)
def context(session_context):
    with session_context:
        yield session_context


@pytest.fixture
def rng(request):
    return np.random.default_rng([SEED, sum(map(ord, request.node.name))])


@pytest.fixture(autouse=True)
def _names(doctest_namespace):
    doctest_namespace["clsolve"] = clsolve
    doctest_namespace["np"] = np
