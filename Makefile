# Two commands on a fresh machine: `make demo` and `make test`. Python 3.11 or newer is all they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: setup demo test bench lint format clean

setup: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Emiciclo needs Python 3.11 or newer; set PYTHON=…")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(STAMP)

demo: setup
	$(BIN)/emiciclo demo

test: setup
	$(BIN)/pytest

bench: setup
	$(BIN)/python -m tests.benchmarks

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) var build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
