"""`FunctionBuilder`: driver code with loops, branches, variables and calls, written as nested `with` blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

from dalembert.errors import TraceError
from dalembert.trace.native.driver.constant_tables import FunctionPointer, IntTable, RealTable
from dalembert.trace.native.driver.driver_values import Bool, DriverValue, Int, Mask
from dalembert.trace.native.driver.pointers import Address, Index, IntPointer, Pointer, UniformPointer
from dalembert.trace.native.driver.reals import Real, lane_of
from dalembert.trace.native.driver.signature import Kind, Signature
from dalembert.trace.native.llvm_text import FunctionText

_TYPES: dict[type, type[DriverValue]] = {bool: Bool, int: Int, float: Real}


class Variables:
    """Attributes that can be read and assigned, each of the type of its first value. LLVM keeps them in registers."""

    _body: FunctionText
    _lanes: int
    _places: dict[str, tuple[type[DriverValue], str]]

    def __init__(self, body: FunctionText, initial: Mapping[str, Any]) -> None:
        places: dict[str, tuple[type[DriverValue], str]] = {}
        object.__setattr__(self, "_body", body)
        object.__setattr__(self, "_lanes", body.lanes.count)
        object.__setattr__(self, "_places", places)
        for name, value in initial.items():
            kind = type(value) if isinstance(value, DriverValue) else _TYPES.get(type(value))
            if kind is None:
                raise TraceError(f"variable {name!r} cannot begin as {value!r}: give an int, a float or a bool")
            places[name] = (kind, body.allocate(kind.kind(body), 8))
            setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        kind, place = self._place(name)
        if kind is Real and self._lanes != self._body.lanes.count:
            raise TraceError(
                f"in a loop over each element, the variable {name!r} cannot be reached: read it before the loop"
            )
        return kind(self._body, self._body.let(f"load {kind.kind(self._body)}, ptr {place}"))

    def __setattr__(self, name: str, value: Any) -> None:
        kind, place = self._place(name)
        operand = kind.operand(self._body, value)
        self._body.lines.append(f"store {kind.kind(self._body)} {operand}, ptr {place}")

    def _place(self, name: str) -> tuple[type[DriverValue], str]:
        try:
            return self._places[name]
        except KeyError:
            raise AttributeError(f"no variable {name!r}; there are: {', '.join(self._places)}") from None


PARAMETERS: dict[type[DriverValue], Kind] = {
    Pointer: "pointer", UniformPointer: "pointer", IntPointer: "pointer", Real: "real", Int: "int",
}  # fmt: skip
"""What a function may take, and as what kind of argument it is passed."""

Called: TypeAlias = "Signature | FunctionPointer | FunctionBuilder"
"""What can be called."""

_PASSED_AS: dict[str, type[DriverValue]] = {"pointer": Address, "real": Real, "int": Int}


class FunctionBuilder:
    """A function being written. Its parameters are attributes: `f.x`."""

    def __init__(
        self, signature: Signature, body: FunctionText, parameters: Mapping[str, type[DriverValue]], width: int = 1
    ) -> None:
        """`width`: how many neighbouring elements `each` takes at a time, where there is one lane."""
        self.signature, self.body = signature, body
        self._width = width if signature.lanes == 1 else 1
        self._loops: list[tuple[str, str]] = []
        for k, (name, kind) in enumerate(parameters.items()):
            if hasattr(type(self), name) or name in self.__dict__:
                raise TraceError(f"function {signature.name!r}: {name!r} cannot be the name of a parameter")
            setattr(self, name, kind(body, f"%p{k}"))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"function {self.signature.name!r} has no parameter {name!r}")

    # -- values and memory ---------------------------------------------------------------------------------------------
    def real(self, x: Int | Real | float) -> Real:
        """A number or an integer value as a real, in all lanes."""
        if isinstance(x, Int):
            return Real(self.body, self.body.broadcast(self.body.let(f"sitofp i64 {x.name} to double")))
        return Real(self.body, Real.operand(self.body, x))

    def integer(self, x: Index) -> Int:
        return Int(self.body, Int.operand(self.body, x))

    def array(self, size: int) -> Pointer:
        """Local memory for `size` reals in all lanes."""
        return Pointer(self.body, self.body.allocate(f"[{size * self.body.lanes.count} x double]", 64))

    def uniform_array(self, size: int) -> UniformPointer:
        """Local memory for `size` doubles."""
        return UniformPointer(self.body, self.body.allocate(f"[{size} x double]", 64))

    def int_array(self, size: int) -> IntPointer:
        """Local memory for `size` integers."""
        return IntPointer(self.body, self.body.allocate(f"[{size} x i64]", 64))

    def variables(self, **initial: Any) -> Variables:
        """Values that change, as attributes: `v = f.variables(t=0.0, n=0)`, then `v.n = v.n + 1`.

        An int makes an `Int`, a float a `Real`, a bool a `Bool`; a value of compiled code keeps its type.
        """
        return Variables(self.body, initial)

    def first_lanes(self, count: Index) -> Mask:
        """True in the first `count` lanes."""
        numbers = self.array(1)
        for lane in range(self.body.lanes.count):
            numbers.uniform[lane] = float(lane)
        return numbers[0] < self.real(self.integer(count))

    # -- loops ---------------------------------------------------------------------------------------------------------
    @contextmanager
    def loop(self, start: Index, stop: Index | None = None, step: int = 1) -> Iterator[Int]:
        """`for i in range(start, stop, step)`, also with a single argument; the step is a Python integer, not 0."""
        if stop is None:
            start, stop = 0, start
        if step == 0:
            raise TraceError("a loop's step must not be 0")
        counter = self.variables(i=self.integer(start))

        def more() -> Bool:
            inside: Bool = counter.i < stop if step > 0 else counter.i > stop
            return inside

        def advance() -> None:
            counter.i = counter.i + step

        with self._looping(more, advance):
            yield counter.i

    def each(self, count: int) -> Iterator[Int]:
        """`for i in f.each(count): a[i] = b[i] + x * c[i]`: a loop whose turns do not depend on each other.

        With one lane, what stands in it is written twice: for a register full of elements at a time, and for those left over. It may
        read and write only element i, or i and a constant, of arrays and tables of reals. Reals from outside come in all lanes;
        variables, and elements at places that do not go along with i, must be read outside.
        """
        whole = self._in_registers(count)
        if whole:
            with self.loop(0, whole, self._width) as i, self.body.widened(self._width):
                yield i
        if whole < count:
            with self.loop(whole, count) as i:
                yield i

    def _in_registers(self, count: int) -> int:
        """How many of the elements fill whole registers."""
        return count - count % self._width if self._width > 1 else 0

    def total(self, count: int, term: Callable[[Int], Real]) -> Real:
        """The sum of term(i), in no particular order; what holds for `each` holds for the term."""
        sums = self.variables(all=0.0)
        whole = self._in_registers(count)
        if whole:
            with self.body.widened(self._width):
                parts = self.variables(all=0.0)
                with self.loop(0, whole, self._width) as i:
                    parts.all = parts.all + term(i)
                first = lane_of(parts.all.sum_of_lanes(), 0)
            sums.all = Real(self.body, first)
        with self.loop(whole, count) as i:
            sums.all = sums.all + term(i)
        total: Real = sums.all
        return total

    @contextmanager
    def countdown(self, count: Index) -> Iterator[Int]:
        """i = count − 1, …, 1, 0."""
        with self.loop(count - 1, -1, -1) as i:
            yield i

    @contextmanager
    def following(self, start: Index, next_of: IntTable) -> Iterator[Int]:
        """i = start, next_of[start], …, as long as it is not negative."""
        chain = self.variables(i=self.integer(start))

        def advance() -> None:
            chain.i = next_of[chain.i]

        with self._looping(lambda: chain.i >= 0, advance):
            yield chain.i

    @contextmanager
    def while_(self, condition: Callable[[], Bool]) -> Iterator[None]:
        """Repeat as long as the condition, written anew before every turn, holds."""
        with self._looping(condition, lambda: None):
            yield

    def stop_if(self, condition: Bool) -> None:
        """Leave the innermost loop."""
        self._jump_if(condition, self._innermost()[1])

    def next_if(self, condition: Bool) -> None:
        """Go on with the innermost loop's next turn."""
        self._jump_if(condition, self._innermost()[0])

    @contextmanager
    def _looping(self, condition: Callable[[], Bool], advance: Callable[[], None]) -> Iterator[None]:
        test, turn, following, done = self._labels("test", "turn", "next", "done")
        self._go_to(test)
        self._begin(test)
        self._branch(condition(), turn, done)
        self._begin(turn)
        self._loops.append((following, done))
        yield
        self._loops.pop()
        self._go_to(following)
        self._begin(following)
        advance()
        self._go_to(test)
        self._begin(done)

    def _innermost(self) -> tuple[str, str]:
        if not self._loops:
            raise TraceError(f"function {self.signature.name!r}: there is no loop to leave here")
        return self._loops[-1]

    # -- branches ------------------------------------------------------------------------------------------------------
    @contextmanager
    def if_(self, condition: Bool) -> Iterator[None]:
        """What follows only if the condition holds; `with f.else_():` may come right after it."""
        yes, no, end = self._labels("yes", "else", "end")
        self._branch(condition, yes, no)
        self._begin(yes)
        yield
        self._go_to(end)
        self._begin(no)
        self._go_to(end)
        self._begin(end)

    @contextmanager
    def else_(self) -> Iterator[None]:
        """What follows only if the condition of the `if_` just before did not hold."""
        lines = self.body.lines
        if len(lines) < 3 or not (lines[-1].endswith(".end:") and lines[-3].endswith(".else:")):
            raise TraceError(f"function {self.signature.name!r}: else_ must come right after an if_")
        end = lines[-2:]
        del lines[-2:]
        yield
        lines.extend(end)

    def return_(self, status: Index | None = None) -> None:
        """Leave the function; a function with status returns 0 if nothing else is said."""
        if (status is not None) and not self.signature.status:
            raise TraceError(f"function {self.signature.name!r} returns nothing: declare it with status=True")
        self.body.lines.append(self.returning(0 if status is None else status))
        self._begin(*self._labels("unreachable"))

    def returning(self, status: Index) -> str:
        """The instruction that ends the function."""
        return f"ret i64 {Int.operand(self.body, status)}" if self.signature.status else "ret void"

    # -- calls ---------------------------------------------------------------------------------------------------------
    def call(self, function: Called, *arguments: Any) -> None:
        """Call a block, a function, or an entry of a function table."""
        signature, called = self._called(function, arguments)
        if signature.status:
            self.body.let(f"call i64 {called}")
        else:
            self.body.lines.append(f"call void {called}")

    def status_of(self, function: Called, *arguments: Any) -> Int:
        """Call what returns a status, and give it."""
        signature, called = self._called(function, arguments)
        if not signature.status:
            raise TraceError(f"{signature.name!r} returns no status: declare it with status=True")
        return Int(self.body, self.body.let(f"call i64 {called}"))

    def _called(self, function: Called, arguments: tuple[Any, ...]) -> tuple[Signature, str]:
        """What is called, and its name and arguments in LLVM's text."""
        if isinstance(function, FunctionPointer):
            signature, name = function.signature, function.name
        else:
            signature = function.signature if isinstance(function, FunctionBuilder) else function
            name = f"@{signature.inner_symbol}"
        plain = all(kind == "pointer" for kind in signature.parameters)
        if signature.lanes != self.signature.lanes and not plain:
            raise TraceError(
                f"{self.signature.name!r} works on {self.signature.lanes} lanes, {signature.name!r} on {signature.lanes}"
            )
        if len(arguments) != len(signature.parameters):
            raise TraceError(f"{signature.name!r} takes {len(signature.parameters)} arguments, not {len(arguments)}")
        passed = ", ".join(self._passed(kind, x) for kind, x in zip(signature.parameters, arguments, strict=True))
        return signature, f"{name}({passed})"

    def _passed(self, kind: Kind, x: Any) -> str:
        if kind == "pointer" and isinstance(x, (IntTable, RealTable)):
            return f"ptr {x.name}"
        expected = _PASSED_AS[kind]
        return f"{expected.kind(self.body)} {expected.operand(self.body, x)}"

    # -- labels and jumps ----------------------------------------------------------------------------------------------
    def _labels(self, *parts: str) -> list[str]:
        number = self.body.fresh()[1:]
        return [f"{number}.{part}" for part in parts]

    def _begin(self, label: str) -> None:
        self.body.lines.append(f"{label}:")

    def _go_to(self, label: str) -> None:
        self.body.lines.append(f"br label %{label}")

    def _branch(self, condition: Bool, yes: str, no: str) -> None:
        operand = Bool.operand(self.body, condition)
        self.body.lines.append(f"br i1 {operand}, label %{yes}, label %{no}")

    def _jump_if(self, condition: Bool, label: str) -> None:
        (onward,) = self._labels("onward")
        self._branch(condition, label, onward)
        self._begin(onward)
