"""A function of arrays that Python calls at the cost of a built-in one: machine code around machine code.

`array_call(…)` makes one of a compiled function that reads and writes one piece of memory. It reads NumPy's arrays and Python's floats
where CPython and NumPy keep them, which is looked at before it is relied on; elsewhere there is none, and calls go their usual way.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from dalembert.trace.native.compiler import code_generator, llvm
from dalembert.trace.native.target import Target

ArrayCall = Callable[..., Any]
"""`f(time, array, array or None, …)` → a new array; None for arguments that are not a float and arrays of doubles of the right sizes,
and where the compiled function returned a status."""

_FASTCALL = 0x80
_NEW, _ABI = 93, 0
"""Places of `PyArray_New` and of the version of the layout in NumPy's table of functions."""
_LAYOUTS = (0x1000009, 0x2000000)
"""Versions of the layout of NumPy 1 and 2; arrays begin alike in both."""
_HEAD = 16
"""Bytes before what an object of Python holds."""

_TEXT = """
define internal i1 @is_row(ptr %array, ptr %known, i64 %n) {
  %type = load ptr, ptr %known
  %descr.at = getelementptr i8, ptr %known, i64 8
  %descr = load ptr, ptr %descr.at
  %own.type.at = getelementptr i8, ptr %array, i64 8
  %own.type = load ptr, ptr %own.type.at
  %typed = icmp eq ptr %own.type, %type
  br i1 %typed, label %array.of, label %no
array.of:
  %own.descr.at = getelementptr i8, ptr %array, i64 56
  %own.descr = load ptr, ptr %own.descr.at
  %of.doubles = icmp eq ptr %own.descr, %descr
  %axes.at = getelementptr i8, ptr %array, i64 24
  %axes = load i32, ptr %axes.at
  %flat = icmp eq i32 %axes, 1
  %both = and i1 %of.doubles, %flat
  br i1 %both, label %sized, label %no
sized:
  %dims.at = getelementptr i8, ptr %array, i64 32
  %dims = load ptr, ptr %dims.at
  %size = load i64, ptr %dims
  %right = icmp eq i64 %size, %n
  %strides.at = getelementptr i8, ptr %array, i64 40
  %strides = load ptr, ptr %strides.at
  %stride = load i64, ptr %strides
  %dense = icmp eq i64 %stride, 8
  %short = icmp sle i64 %n, 1
  %row = or i1 %dense, %short
  %fits = and i1 %right, %row
  ret i1 %fits
no:
  ret i1 false
}

define internal void @copy(ptr %to, ptr %from, i64 %n) {
start:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %each, label %end
each:
  %i = phi i64 [ 0, %start ], [ %next, %each ]
  %source = getelementptr i64, ptr %from, i64 %i
  %x = load i64, ptr %source, align 1
  %place = getelementptr i64, ptr %to, i64 %i
  store i64 %x, ptr %place, align 1
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %each, label %end
end:
  ret void
}

define internal void @clear(ptr %to, i64 %n) {
start:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %each, label %end
each:
  %i = phi i64 [ 0, %start ], [ %next, %each ]
  %place = getelementptr i64, ptr %to, i64 %i
  store i64 0, ptr %place, align 1
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %each, label %end
end:
  ret void
}

define ptr @array_call(ptr %self, ptr %arguments, i64 %count) {
  %known.at = getelementptr i8, ptr %self, i64 16
  %known = load ptr, ptr %known.at
  %none.at = getelementptr i64, ptr %known, i64 2
  %none = load ptr, ptr %none.at
  %float.at = getelementptr i64, ptr %known, i64 3
  %float = load ptr, ptr %float.at
  %memory.at = getelementptr i64, ptr %known, i64 7
  %memory = load ptr, ptr %memory.at
  %taken.at = getelementptr i64, ptr %known, i64 8
  %taken = load i64, ptr %taken.at
  %counted = icmp eq i64 %count, %taken
  br i1 %counted, label %time, label %unusual
time:
  %t = load ptr, ptr %arguments
  %t.type.at = getelementptr i8, ptr %t, i64 8
  %t.type = load ptr, ptr %t.type.at
  %timed = icmp eq ptr %t.type, %float
  br i1 %timed, label %put.time, label %unusual
put.time:
  %t.value.at = getelementptr i8, ptr %t, i64 16
  %t.value = load i64, ptr %t.value.at
  store i64 %t.value, ptr %memory
  br label %next
next:
  %k = phi i64 [ 1, %put.time ], [ %after, %done ]
  %left = icmp slt i64 %k, %taken
  br i1 %left, label %one, label %run
one:
  %given.at = getelementptr ptr, ptr %arguments, i64 %k
  %given = load ptr, ptr %given.at
  %sizes = getelementptr i64, ptr %known, i64 16
  %twice = mul i64 %k, 2
  %size.at = getelementptr i64, ptr %sizes, i64 %twice
  %size = load i64, ptr %size.at
  %offset.at = getelementptr i64, ptr %size.at, i64 1
  %offset = load i64, ptr %offset.at
  %to = getelementptr i64, ptr %memory, i64 %offset
  %is.none = icmp eq ptr %given, %none
  %later = icmp sgt i64 %k, 1
  %absent = and i1 %is.none, %later
  br i1 %absent, label %empty, label %look
empty:
  call void @clear(ptr %to, i64 %size)
  br label %done
look:
  %good = call i1 @is_row(ptr %given, ptr %known, i64 %size)
  br i1 %good, label %take, label %unusual
take:
  %data.at = getelementptr i8, ptr %given, i64 16
  %data = load ptr, ptr %data.at
  call void @copy(ptr %to, ptr %data, i64 %size)
  br label %done
done:
  %after = add i64 %k, 1
  br label %next
run:
  %function.at = getelementptr i64, ptr %known, i64 6
  %function = load ptr, ptr %function.at
  %status = call i64 %function(ptr %memory)
  %well = icmp eq i64 %status, 0
  br i1 %well, label %make, label %unusual
make:
  %type = load ptr, ptr %known
  %new.at = getelementptr i64, ptr %known, i64 5
  %new = load ptr, ptr %new.at
  %axes.at = getelementptr i64, ptr %known, i64 9
  %axes.long = load i64, ptr %axes.at
  %axes = trunc i64 %axes.long to i32
  %shape = getelementptr i64, ptr %known, i64 12
  %made = call ptr %new(ptr %type, i32 %axes, ptr %shape, i32 12, ptr null, ptr null, i32 0, i32 0, ptr null)
  %failed = icmp eq ptr %made, null
  br i1 %failed, label %given.up, label %fill
fill:
  %made.data.at = getelementptr i8, ptr %made, i64 16
  %made.data = load ptr, ptr %made.data.at
  %n.at = getelementptr i64, ptr %known, i64 10
  %n = load i64, ptr %n.at
  %y.at = getelementptr i64, ptr %known, i64 11
  %y.offset = load i64, ptr %y.at
  %y = getelementptr i64, ptr %memory, i64 %y.offset
  call void @copy(ptr %made.data, ptr %y, i64 %n)
  ret ptr %made
given.up:
  ret ptr null
unusual:
  %keep.at = getelementptr i64, ptr %known, i64 4
  %keep = load ptr, ptr %keep.at
  call void %keep(ptr %none)
  ret ptr %none
}
"""


class _MethodDefinition(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("text", ctypes.c_char_p),
    ]


def array_call(
    function: int, memory: np.ndarray, sizes: Sequence[int], output: int, shape: tuple[int, ...], target: Target
) -> ArrayCall | None:
    """Calls `function(memory)` with a time at the beginning of the memory and rows of numbers of these sizes after it, and returns a
    copy of what stands at `output`, of this shape. It holds Python's lock. The caller keeps memory and function alive. None where it
    cannot be made."""
    known = _known()
    if known is None or len(shape) > 4:
        return None
    ends = np.concatenate([[1], 1 + np.cumsum(sizes)]).astype(int)
    rows = [x for size, at in zip(sizes, ends) for x in (size, int(at))]
    n = int(np.prod(shape))
    head = [*known, function, memory.ctypes.data, 1 + len(sizes), len(shape), n, output]
    context = np.array([*head, *shape, *[0] * (4 - len(shape)), 0, 0, *rows], dtype=np.int64)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    made: ArrayCall = make(ctypes.addressof(_definition(target)), context, None)
    return made


@cache
def _definition(target: Target) -> _MethodDefinition:
    """One machine code for all of them, kept for good."""
    binding = llvm()
    generator = code_generator(target)
    head = f'target datalayout = "{generator.target_data}"\ntarget triple = "{generator.triple}"\n'
    module = binding.parse_assembly(head + _TEXT, binding.create_context())
    module.verify()
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), generator)
    engine.add_object_file(binding.ObjectFileRef.from_data(generator.emit_object(module)))
    engine.finalize_object()
    _ENGINES.append(engine)
    return _MethodDefinition(b"array_call", engine.get_function_address("array_call"), _FASTCALL, None)


_ENGINES: list[Any] = []


@cache
def _known() -> list[int] | None:
    """Addresses that the code goes by: types, None, functions; None where arrays are not laid out as it reads them."""
    usual = sys.implementation.name == "cpython" and ctypes.sizeof(ctypes.c_void_p) == 8 and sys.byteorder == "little"
    if not usual or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    new = _new_array()
    if new is None or not _laid_out_as_read():
        return None
    keep = ctypes.cast(ctypes.pythonapi.Py_IncRef, ctypes.c_void_p).value
    assert keep is not None
    return [id(np.ndarray), id(np.dtype(float)), id(None), id(float), keep, new]


def _new_array() -> int | None:
    """Where `PyArray_New` is, in layouts of arrays that are known."""
    core = getattr(np, "_core", None) or getattr(np, "core", None)
    table = getattr(getattr(core, "multiarray", None), "_ARRAY_API", None)
    if table is None:
        return None
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    functions = ctypes.cast(pointer(table, None), ctypes.POINTER(ctypes.c_void_p))
    version = ctypes.CFUNCTYPE(ctypes.c_uint)(functions[_ABI] or 0)()
    return functions[_NEW] if version in _LAYOUTS else None


def _laid_out_as_read() -> bool:
    """Whether an array and a float lie in memory as the code reads them."""
    array, number = np.arange(6.0).reshape(2, 3)[:, :2], float(np.sqrt(2.0))
    words = (ctypes.c_int64 * 8).from_address(id(array))
    expected = {1: id(np.ndarray), 2: array.ctypes.data, 7: id(np.dtype(float))}
    if any(words[k] != x for k, x in expected.items()) or ctypes.c_int.from_address(id(array) + 24).value != 2:
        return False
    dims, strides = ((ctypes.c_int64 * 2).from_address(words[k]) for k in (4, 5))
    if tuple(dims) != array.shape or tuple(strides) != array.strides:
        return False
    typed = ctypes.c_int64.from_address(id(number) + 8).value == id(float)
    return typed and ctypes.c_double.from_address(id(number) + _HEAD).value == number
