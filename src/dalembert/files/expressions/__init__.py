"""Expressions in model files: `10*sin(2*pi*t)`, `-k*(q.A - 0.3)`. Parsed by a small grammar into traced values; never run as code."""

from dalembert.files.expressions.formula import Formula, evaluated
from dalembert.files.expressions.functions import CONSTANTS, FUNCTIONS
from dalembert.files.expressions.parser import NO_TABLES, Tables, parse
from dalembert.files.expressions.syntax import JointRead, Name, OutputRead, SyntaxNode, parts
from dalembert.files.expressions.tokens import ExpressionError
from dalembert.files.expressions.written import written

__all__ = [
    "CONSTANTS",
    "FUNCTIONS",
    "NO_TABLES",
    "ExpressionError",
    "Formula",
    "JointRead",
    "Name",
    "OutputRead",
    "SyntaxNode",
    "Tables",
    "evaluated",
    "parse",
    "parts",
    "written",
]  # fmt: skip
