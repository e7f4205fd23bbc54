"""What code is compiled for is a value: chosen by name, checked against the processor at hand, told apart by the cache."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import ArgumentError
from dalembert.trace import sin, symbol
from dalembert.trace.native import (
    AARCH64,
    WASM32,
    WIDEST,
    Array,
    Block,
    Module,
    Output,
    Pointer,
    executable,
    host,
    target_of,
)
from dalembert.trace.native.target import ELSEWHERE, VARIABLE
from tests.mechanisms import planar_pendulum, random_tree


def test_without_a_word_it_is_the_processor_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert target_of(None) is host() is executable()[0] and Module().target is host()


@pytest.mark.parametrize("target", executable(), ids=lambda t: t.name)
def test_the_environment_and_an_argument_choose_it(target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, target.name)
    assert target_of(None) == target == target_of(target.name) == planar_pendulum(1).build().compiled_for
    assert planar_pendulum(1).build(target="host").compiled_for == host()


def test_what_is_not_known_or_cannot_run_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ArgumentError, match=r'"i8087" is not known; this processor can execute host'):
        planar_pendulum(1).build(target="i8087")
    with pytest.raises(ArgumentError, match="by its name"):
        planar_pendulum(1).build(target=64)
    with pytest.raises(ArgumentError, match='"wasm32": this processor cannot execute its code; it can execute host'):
        planar_pendulum(1).build(target="wasm32")
    monkeypatch.setenv(VARIABLE, "pentium")
    with pytest.raises(ArgumentError, match=r'"pentium" is not known'):
        planar_pendulum(1).build().mass_matrix([0.0])


def test_no_target_has_wider_registers_than_memory_is_padded_for() -> None:
    assert all(t.lanes <= WIDEST and WIDEST % t.lanes == 0 for t in (*executable(), *ELSEWHERE.values()))


@pytest.mark.parametrize("n", [3, 9, 13, 24])
def test_one_mechanism_is_compiled_for_all_targets_in_one_process(n: int) -> None:
    """What was traced for one is emitted for another: nothing in it may be cut to the first one's lanes."""
    m = random_tree(np.random.default_rng(n), n).build()
    rng = np.random.default_rng(0)
    q, u = np.array([m.somewhere(rng, 0.5) for _ in range(19)]), rng.normal(size=(19, m.n_u))
    other = m.kernels.forward_dynamics
    for target in ELSEWHERE.values():
        other.emit(Module(target.lanes, target), 2 * target.lanes)
    expected = m.forward_dynamics(q, u)
    for target in executable():
        kernel = type(other)(other.name, m, other.n_extra, other.shape, other.emit, parts=other.parts)
        kernel.__dict__["target"] = target
        found = kernel(q, u)
        assert np.abs(found - expected).max() <= 1e-9 * np.abs(expected).max(), target.name


def test_a_target_travels_with_the_mechanism() -> None:
    name = executable()[-1].name
    m = planar_pendulum(2).build(target=name)
    assert m.with_parameters().compiled_for.name == m.numeric.compiled_for.name == name
    assert isinstance(m, da.Mechanism)


def test_code_for_other_machines_names_their_functions() -> None:
    """An object file of the target's own format, that asks for the functions of mathematics which are found there."""
    x = symbol("x")
    block = Block("f", [Array("x"), Array("y")], {x: ("x", 0)}, [Output(sin(x), "y", 0)])
    made = {}
    for target in (AARCH64, WASM32):
        module = Module(target=target)
        module.block(block, lanes=target.lanes)
        made[target] = module.object_code()
    arm = made[AARCH64]
    assert arm[:4] == b"\x7fELF" and arm[4] == 2 and int.from_bytes(arm[18:20], "little") == 183  # 64 bits, AArch64
    assert b"\0sin\0" in arm and b"dalembert_sin" not in arm
    assert made[WASM32][:4] == b"\0asm" and b"\x04Math\x03sin" in made[WASM32]


def test_addresses_tell_machines_apart_that_share_their_source() -> None:
    def address(target) -> str:
        module = Module(target=target)
        with module.function("f", x=Pointer) as f:
            f.x[0] = 1.0
        return module.address

    targets = [*executable(), *ELSEWHERE.values()]
    assert len({address(t) for t in targets}) == len(targets)
