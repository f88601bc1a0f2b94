# Every target is a line or two that anyone can read. `make up ARGS="--port 9000"` passes options on.
.DEFAULT_GOAL := help
.PHONY: help up install test check bench contract faults soak golden screens compile lock clean

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
