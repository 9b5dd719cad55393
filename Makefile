# GeoAgent: `make run` sets everything up and serves it, `make test` checks everything. Both may be run again at any time.
# What is there and fresh is left alone, so later runs take seconds.

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
NODE := source tools/node.sh &&
CLIENT := web/dist/index.html
# Evaluated only by the target that uses it.
CHANGED_TESTS = $(sort $(shell { git diff --name-only --diff-filter=d HEAD; git ls-files --others --exclude-standard; } \
  | grep -E '^tests/integration/.*test_[^/]*\.py$$'))
PYTHON_SOURCES = $(shell find agents server migrations tests -name '*.py')
CLIENT_SOURCES := $(shell find web -name node_modules -prune -o -name dist -prune -o -type f -print)

# Tests start many Python processes, each of which would compile everything again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run test test-large client-test compiled-tests test-fast
.PHONY: bench bench-spark chaos lint types style fmt docs client lock clean browser
.DELETE_ON_ERROR:

help: ## Show what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(BIN)/geoagent $(CLIENT) ## Set up what is missing, then serve the map at http://127.0.0.1:8080
	@exec $(BIN)/geoagent serve

test: $(VENV)/installed-for-tests $(VENV)/installed-for-spark $(BIN)/geoagent $(CLIENT) browser ## Install what tests need and run all of them
	@$(MAKE) --no-print-directory --jobs 2 --output-sync lint client-test compiled-tests
	@# One process more than there are cores, since tests also wait for servers and browsers.
	@$(BIN)/python -m pytest -n $$(($$(nproc) + 1)) --dist loadfile --no-loadscope-reorder

test-large: $(VENV)/installed-for-tests $(CLIENT) browser ## Show a table of 10 million points on every screen of a browser
	@GEOAGENT_TEST_ROWS=10000000 $(BIN)/python -m pytest -q tests/browser/test_large_table.py -k every_screen

compiled-tests: tests/__pycache__/compiled

# Else each of pytest's processes would compile all modules of the tests; it reports what cannot be collected.
tests/__pycache__/compiled: $(PYTHON_SOURCES) | $(VENV)/installed-for-tests
	@$(BIN)/python -m pytest --collect-only --quiet > /dev/null || true
	@mkdir -p $(@D) && touch $@

test-fast: $(VENV)/installed-for-tests ## Run the unit tests and the changed integration tests
	@$(BIN)/python -m pytest -q -n 2 tests/unit $(CHANGED_TESTS)

client-test: web/node_modules/.package-lock.json $(CLIENT)
	@$(NODE) cd web && npm test --silent && npm run --silent size

lint: types style ## Check style, types and the direction of imports

types: $(VENV)/installed-for-tests
	@$(BIN)/mypy

style: $(VENV)/installed-for-tests web/node_modules/.package-lock.json
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet . || { echo 'Run: .venv/bin/ruff format .' >&2; exit 1; }
	@$(BIN)/lint-imports
	@$(NODE) cd web && npm run --silent check

fmt: $(VENV)/installed-for-tests ## Format the Python code and apply automatic fixes
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format --quiet .

docs: $(VENV)/installed-for-tests ## Build the documentation site in .local/site, and check its links
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir .local/site

bench: $(VENV)/installed-for-tests $(CLIENT) ## Measure start, tool calls, tiles and sockets, and print a table
	@$(BIN)/python -m tests.bench

bench-spark: $(VENV)/installed-for-tests $(VENV)/installed-for-spark ## Measure steps in PostGIS and on Spark by size (BENCH="--millions 1 10 50")
	@$(BIN)/python -m tests.bench.spark $(BENCH)

chaos: $(VENV)/installed-for-tests ## Attack a server, break its database and its disks, and check that others notice nothing
	@$(BIN)/python -m tests.chaos

client: $(CLIENT) ## Build the browser client

lock: ## Lock the newest versions of all Python requirements
	@tools/lock.sh

clean: ## Remove all that make has made here; the data of the private PostGIS stays
	rm -rf $(VENV) .local web/node_modules web/dist

$(VENV)/installed: requirements.lock
	@tools/venv.sh $(VENV) requirements.lock
	@touch $@

# The test requirements hold all others, too.
$(VENV)/installed-for-tests: requirements-dev.lock
	@tools/venv.sh $(VENV) requirements-dev.lock
	@touch $@ $(VENV)/installed

# Leaves no mark where Spark cannot be installed; its tests are then skipped.
$(VENV)/installed-for-spark: requirements-spark.lock server/spark/jars.py | $(VENV)/installed-for-tests
	@tools/spark.sh $(VENV)

# Editable, so that it is installed again only when the entry points or the metadata change; needs no download.
$(BIN)/geoagent: pyproject.toml | $(VENV)/installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --no-index --no-deps \
	  --no-build-isolation --editable .
	@touch $@

web/node_modules/.package-lock.json: web/package.json web/package-lock.json | $(VENV)/installed
	@echo 'Installing the packages of the browser client ...' >&2
	@$(NODE) cd web && npm ci --silent --include=dev --no-audit --no-fund
	@touch $@

$(CLIENT): web/node_modules/.package-lock.json $(CLIENT_SOURCES)
	@echo 'Building the browser client ...' >&2
	@$(NODE) cd web && npm run --silent build -- --logLevel warn >&2
	@touch $@

browser:
	@tools/browsers.sh
