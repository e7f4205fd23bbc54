"""`dalembert study`: two commands that a newcomer types, and the sentence for each wrong use."""

from __future__ import annotations

import pytest

FILE = """
model: pendulum
vary:
  l: 1±5%
  pivot: {distribution: norm, loc: -1, scale: 0.1}
outputs: [min angle, end pivot']
runs: 40
duration: 0.5
simulation: {output: 0.05}
"""
KEPT = ("-o", "study.html", "-o", "study.nc", "--json")
SHORT = ("--duration", "0.2", "--every", "0.05", "--rtol", "1e-8")


def test_a_model_and_what_varies(dalembert, tmp_path, browser):
    ran = dalembert(
        "study",
        "four_bar",
        "--vary",
        "crank.length=0.4±1%",
        "--runs",
        "40",
        *SHORT,
        "-o",
        "study.html",
        "-o",
        "study.nc",
        "--json",
    )
    assert ran.code == 0, ran.err
    assert ran.data["runs"] == 40 and ran.data["failed"] == 0 and "max swing" in ran.data["answers"]
    assert (tmp_path / "study.nc").stat().st_size > 5000
    _look_at(browser, tmp_path / "study.html")


def _look_at(browser, path):
    """Open the page offline: nothing is complained of, and a run that is chosen is simulated in it with its own inputs."""
    page = browser.new_page()
    page.set_default_timeout(120_000)  # a busy machine
    said = []
    page.on("console", lambda x: said.append(x.text) if x.type == "error" else None)
    page.on("pageerror", lambda x: said.append(str(x)))
    page.on("request", lambda x: said.append(x.url) if x.url.startswith("http") else None)
    page.goto(path.as_uri())
    assert page.locator("circle.dot").count() == 40 and page.locator("rect.bar").count() > 10
    page.locator("#outliers button").first.click()
    value = page.evaluate("runs.columns['crank.length'][chosen]")
    slider = page.frames[1].locator("#slider-crank")
    slider.wait_for(state="attached")
    page.frames[1].wait_for_function(f"Math.abs(document.getElementById('slider-crank').value - {value}) < 1e-6")
    assert said == []
    page.close()


def test_a_study_in_a_file(dalembert, tmp_path):
    (tmp_path / "swing.yaml").write_text(FILE)
    ran = dalembert("study", "swing.yaml", "--seed", "3", "--folder", "kept", "--json")
    assert ran.code == 0, ran.err
    assert ran.data["runs"] == 40 and list(ran.data["answers"]) == ["min angle", "min angle.time", "end pivot'"]
    assert (tmp_path / "kept" / "study.json").exists()
    again = dalembert("study", "swing.yaml", "--seed", "3", "--folder", "kept")
    assert again.code == 0 and "σ = 0.01667" in again.out
    other = dalembert("study", "swing.yaml", "--seed", "4", "--folder", "kept")
    assert other.code == 1 and "differs in seed" in other.err


@pytest.mark.parametrize(
    "arguments, code, said",
    [
        (["four_bar"], 2, "say what varies"),
        (["four_bar", "--vary", "crank"], 2, "is not name=how"),
        (["four_bar", "--vary", "crank=often"], 1, "no tolerance, range or list"),
        (["four_bar", "--vary", "cranc=±1%"], 1, "did you mean 'crank'"),
        (["four_bar", "--vary", "crank=±1%", "-w", "max torque"], 1, "no coordinate, speed or output 'torque'"),
        (["four_bar", "--vary", "crank=±1%", "-o", "x.xlsx"], 2, "must end in"),
        (["four_bar", "--vary", "crank=±1%", "--dask", "localhost"], 1, "is no address of a Dask scheduler"),
        (["four_bar", "--vary", "crank=±1%", "--store", "zarr"], 1, "needs a folder"),
        (["nosuch", "--vary", "crank=±1%"], 1, "neither such a file nor such a gallery model"),
    ],
)
def test_wrong_uses_have_their_sentences(dalembert, arguments, code, said):
    ran = dalembert("study", *arguments)
    assert ran.code == code and said in " ".join(ran.err.replace("│", " ").split()), ran.err


@pytest.mark.parametrize(
    "text, said",
    [
        (FILE.replace("runs:", "rums:"), "7:1: rums: a study has no 'rums'; did you mean 'runs'?"),
        (FILE.replace("1±5%", "1"), "'l' has one value"),
        (FILE.replace("norm, loc", "os.system, loc"), "no continuous distribution of scipy.stats"),
        (FILE.replace("model: pendulum", "model: pendulumm"), "neither a file 'pendulumm'"),
        (FILE.replace("outputs: [min angle, end pivot']\n", ""), "'outputs' is missing"),
        (FILE.replace("{output: 0.05}", "{ouput: 0.05}"), "did you mean 'output'"),
    ],
)
def test_mistakes_in_a_study_s_file_say_where(dalembert, tmp_path, text, said):
    (tmp_path / "swing.yaml").write_text(text)
    ran = dalembert("study", "swing.yaml")
    assert ran.code == 1 and said in ran.err, ran.err
