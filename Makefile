# Every target makes .venv by itself; Python 3.11 or newer, git and make are all it takes.
# PYTHON names the interpreter that .venv is made from: make test PYTHON=python3.12
PYTHON ?= python3
RUN := .venv/bin/python -m

# One thread per process: numerical libraries that each take every core slow one another down.
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

.PHONY: help demo start test check e2e bench screenshots docs lock clean runtime development
.DEFAULT_GOAL := help

help: ## say what there is
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' Makefile

demo: runtime ## open Perfatlas with demo data: prints a link (PORT=8080: another port)
	@exec $(RUN) tools.demo $(if $(PORT),--port $(PORT))

start: runtime ## open Perfatlas without data: prints a link (PORT=8080: another port)
	@exec $(RUN) tools.demo --without-data $(if $(PORT),--port $(PORT))

test: development ## run the tests: pure, sqlite, postgresql, redis, browser
	@exec $(RUN) tools.suite

check: development ## lint, types, import rules, sizes, migrations, documents
	@exec $(RUN) tools.check

e2e: development ## run the browser tests alone
	@exec $(RUN) tools.suite browser

bench: development ## measure Perfatlas itself
	@exec $(RUN) tools.bench

screenshots: development ## take the pictures in docs/images anew
	@exec $(RUN) tools.suite --pictures docs/images browser

docs: development ## write the generated pages of docs/ anew
	@exec $(RUN) tools.documents

lock: development ## compile requirements*.txt from pyproject.toml (UPGRADE=1: newest releases)
	@exec $(RUN) tools.lock $(if $(UPGRADE),--upgrade)

clean: ## remove .venv and caches; var/, which holds data, after asking
	@exec sh tools/clean.sh

runtime: # EXTRA=sso: with what signing in by OpenID Connect needs
	@$(PYTHON) -E -s tools/bootstrap.py requirements$(if $(EXTRA),-$(EXTRA)).txt

development:
	@$(PYTHON) -E -s tools/bootstrap.py requirements-dev.txt
