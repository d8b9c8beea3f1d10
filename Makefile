# Each command sets up what it needs; a fresh machine needs Python 3.11 or newer and make.
PYTHON ?= python3
UV := .uv/bin/uv
BIN := .venv/bin
# Tests start hundreds of commands; without kept bytecode each would compile the library anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test slow nightly engines check bench atlas release audit lock clean

demo: .venv/.runtime
	$(BIN)/adjudge demo -o report.html

test: .venv/.dev
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not slow and not engines"

slow: .venv/.dev
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "slow and not engines"

# The slow tests with many times as many examples and tables: hours, for rare faults.
nightly: .venv/.dev
	HYPOTHESIS_PROFILE=nightly $(BIN)/python -m pytest -q -n 2 --dist worksteal -m "slow and not engines"

engines: .venv/.engines
	$(BIN)/python -m pytest -q -m engines

check: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell README.md CHANGELOG.md docs examples src tests benchmarks

bench: .venv/.dev
	$(BIN)/python benchmarks/run

atlas: build/peers/.done
	build/peers/bin/python benchmarks/coverage --jobs 2

# What is committed, built twice to the same bytes, with its parts list and hashes, in dist/.
release: build/release/.done
	$(PYTHON) .ci/release.py

# Known vulnerabilities of everything the locks name; without an answer for every package it fails.
audit: build/release/.done
	for lock in requirements.lock requirements-engines.lock requirements-release.lock; do \
	  build/release/bin/pip-audit --strict --disable-pip --require-hashes --progress-spinner off -r $$lock || exit 1; \
	done

lock: $(UV)
	$(UV) pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -q -o requirements.lock
	$(UV) pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -q -o requirements-dev.lock
	$(UV) pip compile pyproject.toml --group dev --group engines --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -q -o requirements-engines.lock
	$(UV) pip compile --group release --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -q -o requirements-release.lock

clean:
	rm -rf .venv .uv build dist report.html

$(UV):
	$(PYTHON) -m venv .uv
	.uv/bin/python -m pip install -q --disable-pip-version-check uv

.venv/bin/python: $(UV)
	$(UV) venv -q --allow-existing --python $(PYTHON) .venv

.venv/.runtime: requirements.lock pyproject.toml | .venv/bin/python
	$(UV) pip install -q --python .venv/bin/python --require-hashes -r requirements.lock
	$(UV) pip install -q --python .venv/bin/python --no-deps -e .
	touch $@

.venv/.dev: requirements-dev.lock pyproject.toml | .venv/bin/python
	$(UV) pip install -q --python .venv/bin/python --require-hashes -r requirements-dev.lock
	$(UV) pip install -q --python .venv/bin/python --no-deps -e .
	touch $@ .venv/.runtime

.venv/.engines: requirements-engines.lock .venv/.dev
	$(UV) pip install -q --python .venv/bin/python --require-hashes -r requirements-engines.lock
	touch $@

build/release/.done: requirements-release.lock | $(UV)
	$(UV) venv -q --allow-existing --python $(PYTHON) build/release
	$(UV) pip install -q --python build/release/bin/python --require-hashes -r requirements-release.lock
	touch $@

# Peers of the atlas stay out of every lock.
build/peers/.done: requirements.lock pyproject.toml | $(UV)
	$(UV) venv -q --allow-existing --python $(PYTHON) build/peers
	$(UV) pip install -q --python build/peers/bin/python --require-hashes -r requirements.lock
	$(UV) pip install -q --python build/peers/bin/python --no-deps -e .
	$(UV) pip install -q --python build/peers/bin/python confidenceinterval stambo prob_conf_mat statsmodels
	touch $@
