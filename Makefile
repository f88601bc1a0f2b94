# Every target is a line or two that anyone can read. `make up ARGS="--port 9000"` passes options on.
.DEFAULT_GOAL := help
.PHONY: help up install test check validate contract spec breaking released bench faults soak golden screens examples compile lock clean

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
LOCKS := deploy/requirements
# What the compiled engine is made from; a change of one of these compiles again.
ENGINE := $(shell find engine -path engine/_compiled -prune -o \( -name '*.py' -o -name '*.pxd' -o -name '*.h' \) -print)
# The first Python on PATH that is new enough, can make an environment, and really runs (a shim may exist and fail).
SUITS := import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell IFS=:; for name in python3.14 python3.13 python3.12 python3.11 python3; do for folder in $$PATH; do \
	"$$folder/$$name" -c '$(SUITS)' >/dev/null 2>&1 && echo "$$folder/$$name" && exit; done; done)

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

up: install ## start API, Redis and bot workers; Ctrl-C stops them
	@exec $(BIN)/tapete up $(ARGS)

install: $(VENV)/.compiled ## make the environment in .venv and compile the engine

test: install $(VENV)/.test ## run the tests
	@$(BIN)/python -m pytest $(ARGS)

check: install $(VENV)/.test ## lint, formatting, types, who imports whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

validate: install $(VENV)/.test $(VENV)/.node ## hold the published document against redocly and openapi-spec-validator; needs Node
	@for form in openapi openapi-3.0; do \
	    echo "openapi/$$form.json"; $(BIN)/openapi-spec-validator openapi/$$form.json || exit; done
	@$(REDOCLY) lint --config openapi/redocly.yaml

spec: install ## write the published document again: openapi/openapi.json and its 3.0 copy; review the diff
	@$(BIN)/python -m openapi.write

breaking: install ## say what the document breaks of released ones
	@$(BIN)/python -m openapi.breaking

released: install ## write the document, and keep it as the promise that later ones are held against
	@$(BIN)/python -m openapi.write --released

bench: install $(VENV)/.bench ## measure, with comparisons
	@$(BIN)/python tests/bench/run.py $(ARGS)

contract: install $(VENV)/.test ## generated requests of all kinds from three seeds; writes tests/contract/README.md
	@$(BIN)/python tests/contract/report.py $(ARGS)

faults: install $(VENV)/.test ## kill, halt and starve everything under load for a quarter of an hour; writes tests/faults/README.md
	@$(BIN)/python tests/faults/report.py $(ARGS)

soak: install ## play thousands of random matches and look for faults; ARGS="--matches 100"
	@$(BIN)/python -m tests.soak $(ARGS)

golden: install ## record the golden matches again; review the diff
	@$(BIN)/python tests/golden/record.py

examples: install $(VENV)/.test ## record an example of every answer from the running service again; review the diff
	@$(BIN)/python -m tests.contract.examples.record

screens: install $(VENV)/.test ## record the screens of tapete play again; review the diff
	@$(BIN)/python -m tests.terminal.record

compile: $(VENV)/.installed ## compile the engine, now
	@$(BIN)/python engine/compile.py && touch $(VENV)/.compiled

clean: ## remove the environment, the compiled engine and all caches (no games: those are in the data directory)
	rm -rf $(VENV) engine/_compiled build *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

# The environment. A stamp says that a step was done with the files it depends on, so a second `make up` does none.

$(BIN)/pip: # the last thing that making an environment makes
	@"$(PYTHON)" -c '$(SUITS)' >/dev/null 2>&1 || { echo 'Tapete needs Python 3.11 or newer with its venv module,' \
		'and finds none: install one, or name it: make PYTHON=/path/to/python3'; exit 1; }
	@echo "making $(VENV) with $(PYTHON)"
	@"$(PYTHON)" -m venv $(VENV)

$(VENV)/.installed: $(LOCKS)/runtime.txt pyproject.toml | $(BIN)/pip
	@echo 'installing what the service needs'
	@$(PIP) install --require-hashes -r $(LOCKS)/runtime.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.compiled: $(VENV)/.installed $(ENGINE)
	@$(BIN)/python engine/compile.py
	@touch $@

$(VENV)/.test $(VENV)/.bench: $(VENV)/.%: $(LOCKS)/%.txt $(VENV)/.installed
	@echo 'installing what $(*F) needs'
	@$(PIP) install --require-hashes -r $<
	@touch $@

# The one tool that is no Python, in a folder of its own. It shall report nothing to anybody.
REDOCLY := REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true $(VENV)/node/node_modules/.bin/redocly

$(VENV)/.node: openapi/package.json openapi/package-lock.json | $(BIN)/pip
	@command -v npm >/dev/null || { echo 'make validate needs Node and npm: install them first.'; exit 1; }
	@echo 'installing what validate needs'
	@mkdir -p $(VENV)/node && cp $^ $(VENV)/node/ && npm ci --prefix $(VENV)/node --no-audit --no-fund --ignore-scripts --silent
	@touch $@

# The lock files: every version and hash, for every platform and Python we support, from whatever index is set up.
# The engine is compiled where it is installed, so the build backend is locked with the rest.
BUILD := $(shell sed -n 's/^requires = \["\(.*\)"\]/\1/p' pyproject.toml)
UV := printf '%s\n' '$(BUILD)' | env -u PIP_FIND_LINKS $(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes \
	--no-emit-index-url --no-header --python-version 3.11 pyproject.toml -

lock: $(VENV)/.installed ## choose the newest versions allowed by pyproject.toml again
	@$(PIP) install 'uv>=0.13'
	$(UV) -o $(LOCKS)/runtime.txt
	$(UV) -c $(LOCKS)/runtime.txt --extra test -o $(LOCKS)/test.txt
	$(UV) -c $(LOCKS)/runtime.txt --extra bench -o $(LOCKS)/bench.txt
	@! grep -nE '^-|://' $(LOCKS)/*.txt
