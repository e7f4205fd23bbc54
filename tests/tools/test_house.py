"""What is counted of the house is counted right, and on any layout."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

import pytest

import dalembert as da
from tools.house import ANY, accidental, house, pattern_of, state, text_of
from tools.source import Source, strongly_connected
from tools.walks import Walk

FILES = {
    "__init__.py": "from home.top.roof import Roof\n__all__ = ['Roof', 'shape']\ndef shape() -> Any: ...\n",
    "helper.py": "",
    "cellar/__init__.py": "",
    "cellar/stone.py": "from home import helper\nfrom home.top import roof\nclass Part: ...\n",
    "cellar/deep/well.py": "def late():\n    import home.top.roof\nif TYPE_CHECKING:\n    from ...top.roof import Roof\n",
    "cellar/door.py": "def open():\n    from home.top.roof import Roof\n",
    "top/__init__.py": "",
    "top/roof.py": "from home.cellar.stone import Part as Base\n"
    "class Part(Base):\n    def size(self) -> Any: ...\nclass Roof(Part):\n    def _hidden(self) -> Any: ...\n",
}


@pytest.fixture
def source(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / "home" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Source(tmp_path / "home", ("(base)", "cellar", "cellar/deep", "top", "(top)"), ("cellar/door.py",))


def test_imports_of_later_rooms_are_found_by_kind(source):
    found = {(source.file(i.importer), i.kind, source.file(i.imported)) for i in source.against_the_order}
    assert found == {
        ("cellar/stone.py", "module", "top/roof.py"),
        ("cellar/deep/well.py", "lazy", "top/roof.py"),
        ("cellar/deep/well.py", "types", "top/roof.py"),
    }


def test_a_folder_in_a_room_may_have_its_own_place(source):
    assert [source.room(f"home.{m}") for m in ("helper", "cellar.stone", "cellar.deep.well")] == [
        "(base)",
        "cellar",
        "cellar/deep",
    ]
    assert source.rooms_without_place == []


def test_modules_and_rooms_that_import_each_other_are_named(source):
    assert source.cycles() == [["home.cellar.stone", "home.top.roof"]]
    assert source.cycles("rooms") == [["cellar", "top"]]


def test_cycles_are_the_strongly_connected_groups():
    assert strongly_connected({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"d"}}) == [["b", "c"]]


def test_names_used_twice_and_public_any_are_found(source):
    assert source.classes_used_twice == {"Part": ["cellar/stone.py", "top/roof.py"]}
    assert source.exported_returning_any == ["__init__.py:3 shape", "top/roof.py:3 Part.size"]


def test_a_word_is_found_in_names_but_not_inside_other_words():
    text = "held held_scale _held VariedHeld Held (helds) shield withheld upheld heldover"
    assert len(re.findall(pattern_of("held"), text)) == 6
    assert len(re.findall(pattern_of("own speeds"), "own_speeds own speeds OwnSpeeds known_speeds")) == 3


def test_every_room_has_a_place_and_no_modules_import_each_other():
    found = house()
    assert found.rooms_without_place == [] and found.cycles() == []


def test_the_house_is_told_in_words(source):
    said = text_of(state(source))
    assert f"{len(FILES)} files" in said and "cellar/stone.py:2 module → top/roof.py" in said


def test_a_walk_counts_our_own_functions():
    with Walk() as walk:
        da.rod(1.0, 1.0)
    found = walk.counts()
    assert found["calls"] >= found["functions"] >= found["files"] >= 1
    assert "parts" in found["files by room"]


def test_imports_point_one_way():
    """At module level without exception; inside functions only where a façade hands questions on. `State` may be named in types."""
    found = state(house())["against the order, at"]
    assert [x for x in found if "types → kinematics/state.py" not in x] == []


def test_no_folder_file_or_function_is_too_large():
    found = state(house())
    assert [found[x] for x in ("large folders", "long files", "long functions")] == [{}, {}, {}]


def test_public_functions_return_a_type_unless_it_is_said_why():
    found = house().returning_any
    assert [x for x in found if not x.startswith(tuple(ANY))] == []
    assert [where for where in ANY if not any(x.startswith(where) for x in found)] == []


def test_no_name_is_used_for_two_things():
    found = state(house())
    assert found["class names used twice"] == {} and found["file names used twice"] == {}


def test_no_constant_takes_the_value_of_another():
    assert house().values_given_twice == []


def test_a_name_that_gets_two_values_is_found(source):
    module = source.modules["home.helper"]
    tree = ast.parse("LIMIT = 1.0\ndef f(): ...\nLIMIT, OTHER = 2.0, 3.0\nOTHER.x = 4.0\n")
    source.modules["home.helper"] = replace(module, tree=tree)
    assert source.values_given_twice == ["helper.py: LIMIT"]


def test_a_command_may_be_called_as_what_it_asks_for():
    files = {
        "sweep": ["analysis/sweep.py", "cli/commands/sweep.py"],
        "rows": ["kinematics/rows.py", "mechanism/rows.py"],
    }
    files |= {"reasons": ["importers/mjcf/reasons.py", "importers/urdf/reasons.py"]}
    assert accidental(files) == {"rows": files["rows"]}
