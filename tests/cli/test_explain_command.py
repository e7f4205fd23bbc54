"""`dalembert explain`: a method's matrices on the command line, in symbols and in numbers, in every format."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest


@pytest.mark.parametrize(
    ("model", "method", "shown"),
    [
        ("rhombic_linkage", "zero_eigenvalues", "S = BᵀB [A 15]"),
        ("six_body_tree", "barycentric", "D"),
        ("satellite", "lagrange", "T2"),
        ("satellite", "hamilton", "H"),
        ("four_link_robot", "path_matrix", "terms_phi3"),
        ("double_pendulum", "kane", "Wdot_"),
    ],
)
def test_matrices_of_the_sources(dalembert, model, method, shown):
    ran = dalembert("explain", model, method, "--numbers")
    assert ran.code == 0 and shown in ran.out, ran.err


def test_every_format_of_symbols_and_numbers(dalembert, tmp_path):
    for numbers in ([], ["--numbers"]):
        latex = dalembert("explain", "rhombic_linkage", "zero_eigenvalues", "--format", "latex", *numbers)
        assert latex.code == 0 and r"\begin{aligned}" in latex.out and latex.out.isascii()
        page = tmp_path / "page.html"
        assert dalembert("explain", "rhombic_linkage", "partition", "--format", "html", "-o", page, *numbers).code == 0
        assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
        body = page.read_text(encoding="utf-8").split("<body>")[1].split("</body>")[0]
        assert ET.fromstring(f"<root>{body}</root>").findall(".//math")


def test_what_is_not_known_is_said(dalembert):
    ran = dalembert("explain", "rhombic_linkage", "zero_eigenvalue")
    assert ran.code != 0 and "zero_eigenvalues" in ran.err
