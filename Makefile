# `make` lists what there is to do.
.DEFAULT_GOAL := help
.PHONY: help setup dev demo serve messages assets assets-check check reference format test test-corpora test-backups test-files test-outbound test-races test-sync test-exchange test-deploy test-chaos cluster first-hour docs-check people pictures lighthouse contract mcp fuzz bench bench-site bench-scale bench-memory bench-workers bench-shared-indexes bench-chat bench-mcp bench-webhooks bench-search bench-dashboard bench-hostile eval eval-docsync eval-fitting eval-model eval-porting eval-replay eval-answers eval-retrieval eval-retrieval-fitting eval-sections eval-sections-fitting eval-visitors lock browser

PYTHON ?= python3
BIN := .venv/bin
DATA ?= ../shared/data/docsync

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 15

setup: .venv/installed ## Install Instep into .venv, with the command .venv/bin/instep

dev: .venv/installed-dev ## Install also what checks and tests need

demo: setup ## Serve a help center with one code change documented and waiting for review
	$(BIN)/instep demo

serve: setup ## Serve this installation
	$(BIN)/instep serve

messages: dev ## Bring the catalogues of the help center's words into step with its pages, after a change of a text
	$(BIN)/python -m scripts.messages

assets: frontend/node_modules/installed ## Build what browsers load, which is committed (needs Node)
	cd frontend && npm run --silent build

assets-check: frontend/node_modules/installed ## Build it again and compare it with what is committed (needs Node)
	cd frontend && npm run --silent check

check: dev ## Format, lint, strict types, import ladder
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict instep tests bench eval contract/readers.py contract/verifiers.py contract/fuzz.py contract/mcp.py contract/authorization.py contract/clients/oauth_client.py scripts
	$(BIN)/lint-imports
	$(BIN)/python scripts/check_assets.py

reference: dev ## Write the pages of docs/help that are made from the code: settings, commands, limits
	$(BIN)/python -m scripts.reference

format: dev ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

test: dev browser ## Run all tests, on a real PostgreSQL and in a real Chromium
	$(BIN)/pytest -n 2 --dist loadfile || { echo "What failed beside others runs once more, alone:"; $(BIN)/pytest --last-failed --last-failed-no-failures none --maxfail 5; }

test-corpora: dev ## Run the tests on collections that are not in the repository: ../shared/data/{corpora,docsync,imports,retrieval}
	$(BIN)/pytest -n 2 -m corpora tests/corpora

test-files: dev ## Run the tests of files on PostgreSQL, an S3 server and a folder, with hostile files by the thousand
	$(BIN)/pytest -n 2 -m "files or not files" tests/content/files

test-outbound: dev ## Test the guard of outgoing calls against DNS rebinding (needs Linux)
	$(BIN)/python -m tests.platform.outbound.rebinding

test-backups: dev ## Run the proofs of backups: under load, with every byte damaged, on every storage, by older versions
	$(BIN)/pytest -n 2 -m "backups or not backups" tests/operations/backups

test-races: dev ## Run the proofs under concurrency with their full numbers, over four server processes
	$(BIN)/pytest -m races tests/races

test-sync: dev ## Run 500 random sequences of edits in git and in Instep through the sync
	$(BIN)/pytest -m sync tests/transfer/git_sync

test-exchange: dev ## Export a help center, import it into an empty one and export that: the same bytes
	$(BIN)/pytest -m exchange tests/transfer/exchange

test-deploy: dev contract/installed ## Let nginx, Caddy, systemd and published schemas judge the files in deploy and of CI (needs them)
	$(BIN)/pytest -m deploy tests/deploy

test-chaos: dev ## Run the proofs of delivery while workers and PostgreSQL are killed and clocks move (needs faketime)
	$(BIN)/pytest -m chaos tests/chaos

cluster: dev ## Kill the parts of a cluster in turn, under load (needs etcd, patroni, pgbouncer, haproxy, postgresql)
	$(BIN)/pytest -m cluster -p no:randomly tests/cluster

first-hour: dev browser ## Do docs/first-hour.md as a newcomer would, from a fresh clone, and print how long it takes
	$(BIN)/pytest -m first_hour -p no:randomly -s tests/docs

docs-check: setup ## Find what changes make wrong in docs/help, with Instep itself: make docs-check BASE=origin/main
	scripts/docs-check $(or $(BASE),origin/main)

people: dev browser tests/pages/installed assets-check ## Hold every page and state against axe, the keyboard, reflow and valid HTML (needs npm)
	$(BIN)/pytest -m people tests/pages

pictures: dev browser ## Picture every page and state at three widths, by day and by night: pictures/contact-sheet.png
	$(BIN)/pytest -m pictures tests/pages

lighthouse: dev browser tests/pages/installed ## Hold the public pages against a budget: the median of five runs of Lighthouse (needs npm)
	$(BIN)/pytest -m lighthouse tests/pages

contract: dev contract/installed ## Have other projects' tools read the API's description and verify webhooks (needs Node)
	$(BIN)/python -m contract.readers
	$(BIN)/python -m contract.verifiers

mcp: dev contract/installed ## Have the official suite and other clients use both MCP servers (needs Node)
	$(BIN)/python -m contract.mcp

fuzz: dev contract/installed ## Fuzz the API with what its description allows, and much that it forbids
	$(BIN)/python -m contract.fuzz $(FUZZ)

bench: dev ## Compare requests per second with a bare service that does the same SQL
	$(BIN)/python -m bench

bench-site: dev ## Compare public pages with an empty route of the framework
	$(BIN)/python -m bench.site

bench-scale: dev ## Measure requests in bots of 1,000 to 100,000 articles, and in 1,000 bots
	$(BIN)/python -m bench.scale

bench-memory: dev ## Measure the memory of a server: after 100,000 requests, with 1,000 bots, and after moving in and 100 tasks
	$(BIN)/python -m bench.memory
	$(BIN)/python -m bench.many_bots
	$(BIN)/python -m bench.moving_in

bench-workers: dev ## Compare requests per second of two server processes with those of one
	$(BIN)/python -m bench.workers

bench-shared-indexes: dev ## Measure the memory of two server processes that search the same large help center
	$(BIN)/python -m bench.shared_indexes

bench-chat: dev ## Measure how long an answer without a model takes
	$(BIN)/python -m bench.chat

bench-mcp: dev ## Compare calls of MCP tools with the same calls of the API
	$(BIN)/python -m bench.mcp

bench-webhooks: dev ## Measure deliveries per second of one worker process, and what they cost
	$(BIN)/python -m bench.webhooks

bench-search: dev ## Measure searches in a large help center and in many small ones
	$(BIN)/python -m bench.search

bench-dashboard: dev browser ## Measure every page of the dashboard with 10,000 articles, its bytes, and its keys
	$(BIN)/python -m bench.dashboard

bench-hostile: dev ## Measure how long others wait while hostile texts are saved, shown, reviewed and synced
	$(BIN)/python -m bench.hostile

eval: eval-docsync eval-retrieval ## Score the product on real data

eval-docsync: dev ## Score the writer on real histories: make eval-docsync DATA=folder
	$(BIN)/python -m eval.docsync $(DATA)

eval-porting: DATA = ../shared/data/docsync
eval-porting: dev ## Score how the writer carries over documentation that changes edit: make eval-porting DATA=folder
	$(BIN)/python -m eval.porting $(DATA)

eval-fitting: DATA = ../shared/data/docsync
eval-fitting: dev ## Fit the writer's models, each product left out in turn: make eval-fitting DATA=folder
	$(BIN)/python -m eval.fitting $(DATA)

eval-model: dev ## Score a language model: make eval-model PROVIDER=openai:NAME DATA=folder [CASES=50] [REPLAY=1]; or a double: DOUBLE=oracle, DOUBLE=saboteur
ifeq ($(DOUBLE),oracle)
	$(BIN)/python -m eval.model.ceiling $(DATA)
else ifeq ($(DOUBLE),saboteur)
	$(BIN)/python -m eval.model.protection $(DATA)
else
	$(BIN)/python -m eval.model $(DATA) $(if $(PROVIDER),--model $(PROVIDER)) $(if $(CASES),--cases $(CASES)) $(if $(REPLAY),--replay)
endif

eval-replay: dev ## Draft for the last commits of a repository, to judge by hand: make eval-replay [REPOSITORY=.] [DOCS=docs/help] [LAST=100] [EVERY=1]
	$(BIN)/python -m eval.replay $(or $(REPOSITORY),.) $(or $(DOCS),docs/help) --last $(or $(LAST),100) --every $(or $(EVERY),1)

eval-retrieval: DATA = ../shared/data/retrieval
eval-retrieval: dev ## Score the search on real questions: make eval-retrieval DATA=folder
	$(BIN)/python -m eval.retrieval $(DATA)

eval-sections: DATA = ../shared/data/retrieval
eval-sections: dev ## Score which sections answers quote, on our own questions and on question sets: make eval-sections DATA=folder
	$(BIN)/python -m eval.sections $(DATA) --list

eval-visitors: dev ## Score answers to invented visitors' questions
	$(BIN)/python -m eval.visitors --list

eval-sections-fitting: DATA = ../shared/data/retrieval
eval-sections-fitting: dev ## Fit which section answers best: make eval-sections-fitting DATA=folder
	$(BIN)/python -m eval.sections.fitting $(DATA)

eval-retrieval-fitting: DATA = ../shared/data/retrieval
eval-retrieval-fitting: dev ## Fit how sure the search is, each set left out in turn: make eval-retrieval-fitting DATA=folder
	$(BIN)/python -m eval.retrieval.fitting $(DATA)

eval-answers: DATA = ../shared/data/docsync_customers
eval-answers: dev ## Score answers, without a language model or with one: make eval-answers DATA=folder [PROVIDER=openai:NAME] [REPLAY=1] [BY_HAND=folder] [LIST=file]
	$(BIN)/python -m eval.answers $(DATA) $(if $(PROVIDER),--model $(PROVIDER)) $(if $(REPLAY),--replay) $(if $(BY_HAND),--by-hand $(BY_HAND)) $(if $(LIST),--list $(LIST))

lock: dev ## Renew the lock files
	$(BIN)/uv pip compile $(LOCK) --extra build pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile $(LOCK) --extra build --extra dev -c requirements.lock pyproject.toml -o requirements-dev.lock
	$(BIN)/uv pip compile $(LOCK) contract/requirements.in -o contract/requirements.lock

LOCK := --universal --generate-hashes --no-emit-index-url --no-header --quiet

.venv/installed: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Instep needs Python 3.11 or newer: make PYTHON=python3.12")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	touch $@

.venv/installed-dev: .venv/installed requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements-dev.lock
	touch $@

# Other projects' tools, in an environment apart from Instep's own dependencies.
contract/installed: contract/requirements.lock contract/package-lock.json
	test -x .venv-contract/bin/python || $(PYTHON) -m venv .venv-contract
	.venv-contract/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r contract/requirements.lock
	cd contract && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	touch $@

tests/pages/installed: tests/pages/package-lock.json
	cd tests/pages && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	touch $@

frontend/node_modules/installed: frontend/package-lock.json
	cd frontend && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	touch $@

browser:
	@command -v chromium >/dev/null || sh scripts/install-chromium
