# Every target does its own set-up, in a virtual environment inside the checkout.
PYTHON ?= python3
VENV   := .venv
BENCH  := .venv-bench
RUN    := $(VENV)/bin/python

.PHONY: demo test bench lint browser clean

demo: $(VENV)/.ready            ## run real examples end to end
	$(RUN) examples/triple_pendulum.py
	$(RUN) examples/heavy_top.py
	$(RUN) examples/four_bar.py

test: lint browser              ## everything that must hold
	$(RUN) -m pytest -n 2

lint: $(VENV)/.ready
	$(VENV)/bin/ruff check src tests examples benchmarks
	$(VENV)/bin/ruff format --check src tests examples benchmarks
	$(VENV)/bin/mypy

browser: $(VENV)/.ready         ## Chromium, for the tests of the page
	sh tools/chromium.sh $(RUN)

bench: $(BENCH)/.ready          ## against the peers, in an environment of its own
	$(BENCH)/bin/python benchmarks/symbolic.py
	$(BENCH)/bin/python benchmarks/tree.py
	$(BENCH)/bin/python benchmarks/rollout.py
	$(BENCH)/bin/python benchmarks/loops.py

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@

$(BENCH)/.ready: pyproject.toml benchmarks/requirements.txt
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/pip install --quiet --disable-pip-version-check -e . -r benchmarks/requirements.txt
	touch $@

clean:
	rm -rf $(VENV) $(BENCH) out .pytest_cache .mypy_cache .ruff_cache .hypothesis
