# Every target does its own set-up, in a virtual environment inside the checkout.
PYTHON ?= python3
VENV   := .venv
BENCH  := .venv-bench
BIN    := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
RUN    := $(BIN)/python
MECHANISMS ?= 100000

.PHONY: demo test bench docs wheel floors release lint browser compiler clean

demo: $(VENV)/.ready            ## a four-bar: what it is in words, ten seconds of its motion, its page
	$(BIN)/dalembert inspect four_bar
	mkdir -p out
	$(BIN)/dalembert simulate four_bar -o out/four_bar.html -o out/four_bar.nc
	@echo "open out/four_bar.html in a browser; more: $(BIN)/dalembert gallery -o out/gallery"

test: lint browser compiler              ## everything that must hold
	OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(RUN) -m pytest -n 2

lint: $(VENV)/.ready
	$(BIN)/ruff check src tests examples benchmarks tools
	$(BIN)/ruff format --check src tests examples benchmarks tools
	$(BIN)/codespell README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md docs examples src tools
	$(BIN)/mypy

browser: $(VENV)/.ready         ## Chromium, for the tests of the page
	sh tools/chromium.sh $(RUN)

compiler: $(VENV)/.ready        ## a C compiler, for the tests of exported code
	sh tools/compiler.sh $(RUN)

docs: $(VENV)/.ready            ## the documentation as a site, in out/docs; a warning is an error
	OPENBLAS_NUM_THREADS=1 $(RUN) -m tools.site.build out/docs
	@echo "written: out/docs/index.html"

wheel: $(VENV)/.ready           ## wheel and sdist in out/dist; installed into an empty environment and used there
	sh tools/wheel_check.sh $(RUN) $(PYTHON)

floors: $(VENV)/.ready          ## the same with the oldest version of every dependency
	mkdir -p out
	$(RUN) tools/floors.py > out/floors.txt
	CONSTRAINTS=out/floors.txt sh tools/wheel_check.sh $(RUN) $(PYTHON)

release: wheel                  ## tags this version and publishes it; called by the workflow of that name
	$(RUN) tools/release.py > out/notes.md
	gh release create "v$$($(RUN) -c 'import dalembert; print(dalembert.__version__)')" out/dist/* --target "$$GITHUB_SHA" --notes-file out/notes.md

bench: $(BENCH)/.ready $(VENV)/.ready  ## against the peers, in an environment of its own, whatever falls short; and the slow tests
	-$(BENCH)/bin/python benchmarks/symbolic.py
	-$(BENCH)/bin/python benchmarks/tree.py
	-$(BENCH)/bin/python benchmarks/rollout.py
	-$(BENCH)/bin/python benchmarks/loops.py
	-$(BENCH)/bin/python benchmarks/laws.py
	-$(BENCH)/bin/python benchmarks/comparison.py
	-OPENBLAS_NUM_THREADS=1 $(RUN) -m benchmarks.waiting --keep
	-sh tools/cross.sh
	-OPENBLAS_NUM_THREADS=1 $(RUN) benchmarks/live.py
	-OPENBLAS_NUM_THREADS=1 $(RUN) -m benchmarks.fuzz --cases 1000000
	-$(RUN) -m benchmarks.reliability agreement --mechanisms $(MECHANISMS)
	-$(RUN) -m benchmarks.reliability invariance --mechanisms 700
	-$(RUN) -m benchmarks.reliability faults --times 10
	-OPENBLAS_NUM_THREADS=1 $(RUN) -m tools.try_tolerances reach
	-OPENBLAS_NUM_THREADS=1 $(RUN) -m tools.try_tolerances
	OPENBLAS_NUM_THREADS=1 CI= $(RUN) -m pytest -n 2 -m slow

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --no-compile --disable-pip-version-check -e ".[dev]"
	touch $@

$(BENCH)/.ready: pyproject.toml benchmarks/requirements.txt
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/pip install --quiet --disable-pip-version-check -e . -r benchmarks/requirements.txt
	touch $@

clean:
	rm -rf $(VENV) $(BENCH) out .pytest_cache .mypy_cache .ruff_cache .hypothesis
