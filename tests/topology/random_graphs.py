"""Random graphs for properties: any shape, any arc direction, any input order of bodies and arcs."""

from __future__ import annotations

from hypothesis import strategies as st

from dalembert.topology import Arc, Graph


@st.composite
def connected_graphs(draw: st.DrawFn, max_bodies: int = 10, max_extra: int = 5) -> Graph:
    """A random tree on shuffled bodies plus random further arcs, parallel ones included, all shuffled."""
    n = draw(st.integers(1, max_bodies))
    name = [0, *draw(st.permutations(range(1, n + 1)))]
    parents = draw(st.tuples(*(st.integers(0, k) for k in range(n))))
    ends = [(name[parent], name[k]) for k, parent in enumerate(parents, start=1)]
    ends += draw(st.lists(distinct_ends(n), max_size=max_extra))
    return Graph(n, draw(arcs_between(draw(st.permutations(ends)))))


def trees(max_bodies: int = 10) -> st.SearchStrategy[Graph]:
    """A random tree: as many arcs as bodies."""
    return connected_graphs(max_bodies, max_extra=0)


@st.composite
def any_graphs(draw: st.DrawFn, max_bodies: int = 8, max_arcs: int = 10) -> Graph:
    """Random arcs between random vertices: connected or not."""
    n = draw(st.integers(1, max_bodies))
    return Graph(n, draw(arcs_between(draw(st.lists(distinct_ends(n), max_size=max_arcs)))))


def distinct_ends(n: int) -> st.SearchStrategy[tuple[int, int]]:
    """Two different vertices of 0..n."""
    step = st.tuples(st.integers(0, n), st.integers(1, n))
    return step.map(lambda pair: (pair[0], (pair[0] + pair[1]) % (n + 1)))


@st.composite
def arcs_between(draw: st.DrawFn, ends: list[tuple[int, int]]) -> tuple[Arc, ...]:
    """Arcs with these ends, pointing either way, with any freedoms."""
    kinds = draw(st.tuples(*[st.integers(0, 13)] * len(ends)))  # one draw for both choices: generation is the cost
    return tuple(Arc(*(pair[::-1] if kind > 6 else pair), kind % 7) for pair, kind in zip(ends, kinds, strict=True))
