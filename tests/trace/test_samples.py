"""Samples from CSV files: read as they are written, refused with file and line."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.trace.csv_samples import read_samples


def test_names_units_and_comments(tmp_path):
    file = tmp_path / "gait.csv"
    file.write_text('# measured\n"t [s]", "knee [rad]", "P.x [m]"\n0, 1, 2\n\n1e-1, -2, .5\n')
    found = read_samples(file)
    assert found.columns == ("knee", "P.x") and found.names == ("knee", "P_x")
    assert found.times.tolist() == [0.0, 0.1] and found.values.tolist() == [[1, 2], [-2, 0.5]]
    file.write_text("0,1\n1,2\n2,5\n3,10\n")
    table = da.Table.read(file)
    assert table(1.5) == pytest.approx(3.25)
    with pytest.raises(da.DalembertError, match="outside its samples"):
        table(4.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("t,x\n0,1\n1\n", "t.csv:3: 2 numbers are expected in this line, not 1"),
        ("t,x\n0,a\n", "t.csv:2: 'a' is not a number"),
        ("t,x,x\n0,1,2\n", "different names"),
        ("", "times in its first column"),
        ("1\n2\n", "times in its first column"),
        ("t,x\n0,1\n0,2\n1,2\n2,3\n", "must increase"),
        ("t,x\n0,nan\n1,2\n2,3\n3,3\n", "finite"),
        ("\x00\x01", "times in its first column"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, says):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(da.TraceError) as caught:
        da.Table.read(tmp_path / "t.csv")
    assert says in str(caught.value)
    with pytest.raises(da.TraceError, match="cannot be read"):
        da.Table.read(tmp_path / "none.csv")
