"""Packages that only some answers need: imported when asked for; where one is missing, the sentence says how to get it."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from dalembert.errors import DalembertError

PACKAGES = {
    "sympy": ("SymPy", "dalembert[sympy]"),
    "casadi": ("CasADi", "dalembert[casadi]"),
    "skfem": ("scikit-fem", "dalembert[solid]"),
    "matplotlib": ("Matplotlib", "dalembert[plots]"),
    "control": ("python-control", "dalembert[control]"),
    "anywidget": ("anywidget", "dalembert[notebook]"),
    "pandas": ("pandas", "pandas"),
    "jax": ("JAX", "dalembert[jax]"),
    "torch": ("PyTorch", "torch"),
    "distributed": ("Dask", "dalembert[dask]"),
    "cloudpickle": ("cloudpickle", "cloudpickle"),
    "zarr": ("Zarr", "dalembert[zarr]"),
    "fmpy": ("FMPy", "dalembert[fmpy]"),
    "mcap": ("MCAP", "dalembert[mcap]"),
    "playwright": ("Playwright", "dalembert[video]"),
}
"""Packages by the name they are imported under: what they are called, and what pip installs."""


def optional(module: str, what: str, error: type[DalembertError] = DalembertError) -> ModuleType:
    """The module (with dots, one within its package), for what is said to need it."""
    title, wanted = PACKAGES[module.partition(".")[0]]
    try:
        return import_module(module)
    except ImportError as problem:
        raise error(f"{what} needs {title}, which cannot be imported ({problem}): pip install {wanted}") from problem
