# `make` lists what there is to do.
.DEFAULT_GOAL := help
.PHONY: help setup dev demo serve check format test test-all messages assets assets-check reference docs-check pictures lock browser bench eval

PYTHON ?= python3
BIN := .venv/bin
TOOLS := tests/other_tools

help: ## List the targets
	@sed -nE 's/^##@ (.*)/\n\1/p; s/^([a-z%-]+):.*## /  \1\t/p' $(MAKEFILE_LIST) | sed 's/-%/-NAME/; s/SUITES/$(SUITES)/' | expand -t 18

##@ Use

setup: .venv/installed ## Install Instep into .venv, with the command .venv/bin/instep

demo: setup ## Serve a help center with one code change documented and waiting for review
	$(BIN)/instep demo

serve: setup ## Serve this installation
	$(BIN)/instep serve

##@ Develop

dev: .venv/installed-dev ## Also install the tools for checks and tests

check: dev ## Format, lint, strict types, import ladder
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict instep tests bench eval scripts
	$(BIN)/lint-imports
	$(BIN)/python scripts/check_assets.py

format: dev ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

test: dev browser ## Run all tests, on a real PostgreSQL and in a real Chromium
	$(BIN)/pytest -n 2 --dist loadfile || { echo "What failed next to others runs once more, alone:"; $(BIN)/pytest --last-failed --last-failed-no-failures none --maxfail 5; }

# The markers in pyproject.toml say what each suite of pytest proves.
SUITES := backups chaos cluster contract corpora deploy exchange files first-hour fuzz lighthouse mcp outbound people quality races sync

test-all: test $(SUITES:%=test-%) ## Also run all slow suites, including those that need Node, etcd, nginx or faketime

test-%: dev browser ## Run one of them: SUITES
	$(BIN)/pytest -p no:randomly -m $(subst -,_,$*) $(OPTIONS)

test-contract: dev $(TOOLS)/installed
	$(BIN)/python -m tests.other_tools.readers
	$(BIN)/python -m tests.other_tools.verifiers

test-mcp test-fuzz: dev $(TOOLS)/installed
	$(BIN)/python -m tests.other_tools.$(@:test-%=%) $(OPTIONS)

test-outbound: dev
	$(BIN)/python -m tests.platform.outbound.rebinding

test-deploy: $(TOOLS)/installed
test-first-hour: OPTIONS = -s
test-lighthouse test-people: tests/pages/installed
test-people: assets-check

messages: dev ## Update the translation catalogs after a text on the help center's pages has changed
	$(BIN)/python -m scripts.messages

assets: frontend/node_modules/installed ## Build what browsers load, which is committed (needs Node)
	cd frontend && npm run --silent build

assets-check: frontend/node_modules/installed ## Build it again and compare it with what is committed (needs Node)
	cd frontend && npm run --silent check

reference: dev ## Generate the pages of docs/help that come from the code: settings, commands, limits
	$(BIN)/python -m scripts.reference

docs-check: setup ## Find statements in docs/help that your changes make wrong, with Instep itself: make docs-check BASE=origin/main
	scripts/docs-check $(or $(BASE),origin/main)

pictures: dev browser ## Take screenshots of every page and state at three widths, light and dark: pictures/contact-sheet.png
	$(BIN)/pytest -m pictures tests/pages

lock: dev ## Update the lock files
	$(BIN)/uv pip compile $(LOCK) --extra build pyproject.toml -o requirements/runtime.lock
	$(BIN)/uv pip compile $(LOCK) --extra build --extra dev -c requirements/runtime.lock pyproject.toml -o requirements/dev.lock
	$(BIN)/uv pip compile $(LOCK) $(TOOLS)/requirements.in -o $(TOOLS)/requirements.lock

##@ Measure

bench: dev ## Compare requests per second with a bare service that runs the same SQL (needs wrk)
	$(BIN)/python -m bench

bench-%: dev ## Measure a part: chat dashboard hostile mcp memory scale search shared-indexes site webhooks workers
	$(BIN)/python -m bench.$(subst -,_,$*)

bench-memory: dev
	$(BIN)/python -m bench.memory
	$(BIN)/python -m bench.many_bots
	$(BIN)/python -m bench.moving_in

bench-dashboard: browser

eval: eval-docsync eval-retrieval ## Score the product on real data, which is not in the repository

eval-%: dev ## Score a part: answers docsync fitting model porting replay retrieval sections visitors (docs/quality.md)
	$(BIN)/python -m eval.$(subst -,.,$*) $(DATA) $(OPTIONS)

# Each of these can be given: make eval-model DATA=folder PROVIDER=openai:NAME CASES=50 REPLAY=1
DATA = ../shared/data/docsync
eval-retrieval eval-retrieval-fitting eval-sections eval-sections-fitting: DATA = ../shared/data/retrieval
eval-answers: DATA = ../shared/data/docsync_customers
eval-visitors: DATA =
eval-replay: DATA = $(or $(REPOSITORY),.) $(or $(DOCS),docs/help)
eval-sections eval-visitors: OPTIONS = --list
eval-replay: OPTIONS = --last $(or $(LAST),100) --every $(or $(EVERY),1)
eval-model: OPTIONS = $(MODEL) $(if $(CASES),--cases $(CASES))
eval-model-editor: OPTIONS = --by-hand $(BY_HAND)
eval-answers: OPTIONS = $(MODEL) $(if $(BY_HAND),--by-hand $(BY_HAND)) $(if $(LIST),--list $(LIST))
MODEL = $(if $(PROVIDER),--model $(PROVIDER)) $(if $(REPLAY),--replay)

LOCK := --universal --generate-hashes --no-emit-index-url --no-header --quiet
NPM_INSTALL := npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check

.venv/installed: requirements/runtime.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Instep needs Python 3.11 or newer: make PYTHON=python3.12")'
	test -x $(BIN)/pip || $(PYTHON) -m venv .venv
	$(BIN)/python $(PIP_INSTALL) --require-hashes --only-binary :all: -r requirements/runtime.lock
	$(BIN)/python $(PIP_INSTALL) --no-build-isolation --no-deps --editable .
	touch $@

.venv/installed-dev: .venv/installed requirements/dev.lock
	$(BIN)/python $(PIP_INSTALL) --require-hashes --only-binary :all: -r requirements/dev.lock
	touch $@

# Other projects' tools, in an environment apart from Instep's own dependencies.
$(TOOLS)/installed: $(TOOLS)/requirements.lock $(TOOLS)/package-lock.json
	test -x .venv-contract/bin/pip || $(PYTHON) -m venv .venv-contract
	.venv-contract/bin/python $(PIP_INSTALL) --require-hashes -r $(TOOLS)/requirements.lock
	cd $(TOOLS) && $(NPM_INSTALL)
	touch $@

tests/pages/installed: tests/pages/package-lock.json
	cd tests/pages && $(NPM_INSTALL)
	touch $@

frontend/node_modules/installed: frontend/package-lock.json
	cd frontend && $(NPM_INSTALL)
	touch $@

browser:
	@command -v chromium-headless-shell >/dev/null || sh scripts/install-chromium
