"""Traced expressions as text: Python, C, LaTeX and SymPy, compact with named intermediates, never expanded."""

from dalembert.trace.text.c import c_source
from dalembert.trace.text.intermediates import Intermediates, program
from dalembert.trace.text.latex import latex, latex_program
from dalembert.trace.text.numpy_form import numpy_function, numpy_source
from dalembert.trace.text.plain import plain_text
from dalembert.trace.text.python import expression_text, python_function, python_source
from dalembert.trace.text.sympy_form import to_sympy

__all__ = [
    "Intermediates", "c_source", "expression_text", "latex", "latex_program", "numpy_function", "numpy_source", "plain_text", "program",
    "python_function", "python_source", "to_sympy",
]  # fmt: skip
