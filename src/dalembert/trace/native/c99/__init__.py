"""A module as C99 source instead of machine code: the same functions, one state at a time, for whatever compiler there is.

`c_module(module, prefix, offered)` writes it. Straight-line blocks are written from their expressions, with the names of symbols and
named intermediates (`block_source.py`); driver functions from their instructions, with loops and branches as C has them
(`driver_source.py`).
"""

from dalembert.trace.native.c99.module_source import CModule, c_module

__all__ = ["CModule", "c_module"]
