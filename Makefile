# The two commands of a newcomer are `make demo` and `make test`; each sets itself up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The lab's jobs mostly wait (for ports, launchers, time limits), so more of them than cores run side by side.
LAB_WORKERS ?= 4
QUICK := not (lab or packaging or pythons)

.PHONY: help demo test quick lab lint format bench pythons new-check docs clean

help:
	@echo "make demo       show the main job on real input"
	@echo "make test       every test, real Paddle included"
	@echo "make quick      the tests that need no Paddle (under a minute)"
	@echo "make lab        the fault lab: real faults on real Paddle"
	@echo "make lint       linters, formatter, type checks, import contract"
	@echo "make format     put the code into shape"
	@echo "make bench      start-up times against 'import typer'"
	@echo "make pythons    the quick tests on every Python 3.10+ at hand"
	@echo "make new-check SUBJECT=script NAME=my-check CODE=PD199"
	@echo "make docs       write the check pages and the screenshots anew"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -qq --upgrade pip

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install -qq --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.installed
	$(BIN)/python -m pip install -qq --group dev
	@touch $@

$(VENV)/.lab: $(VENV)/.dev
	$(BIN)/python -m pip install -qq --group lab
	@touch $@

demo: $(VENV)/.installed
	@$(BIN)/python docs/demo/show.py

test: $(VENV)/.lab
	$(BIN)/python -m pytest -m "$(QUICK)" -n 3
	$(BIN)/python -m pytest -m packaging
	$(BIN)/python -m pytest -m lab -n $(LAB_WORKERS)

quick: $(VENV)/.dev
	$(BIN)/python -m pytest -m "$(QUICK)" -n 3

lab: $(VENV)/.lab
	$(BIN)/python -m pytest -m lab -n $(LAB_WORKERS)

lint: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(VENV)/.installed
	$(BIN)/python tests/benchmarks/startup.py

pythons: $(VENV)/.dev
	$(BIN)/python -m pytest -m pythons -rs -v

new-check: $(VENV)/.installed
	@$(BIN)/python docs/new_check.py "$(SUBJECT)" "$(NAME)" "$(CODE)"

docs: $(VENV)/.installed
	$(BIN)/python docs/make_pages.py

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
