# The commands of the house. `make` alone lists them; `make report` and `make test` need nothing but Python, make and an index.

PYTHON ?= python3
WORKERS ?= 2
MINUTES ?= 10
FIRST ?= 0
KILLS ?= 100
INPUTS ?= 1000000
FILES ?=
READERS ?=
TYPES ?= 1

bin := .venv/bin
pip := $(bin)/python -m pip --disable-pip-version-check --quiet
install = $(pip) install $(if $(findstring uv,$(pip)),,--no-compile)
on = $(filter-out 0 no,$(1))
sphinx := $(bin)/python -m sphinx --fail-on-warning --keep-going --quiet -b html

# A virtual environment knows its own path and its Python: moved or robbed of either, it is made anew.
stale := $(shell [ ! -f .venv/packages ] || { [ "$$(cat .venv/packages)" = "$$(pwd -P)" ] && $(bin)/python -c ''; } \
	2>/dev/null || echo stale)

# Every command, and each that a test starts, would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help report play site shown docs test soak fuzz guided mutants audit bench claims numbers notebook verify lint clean stale
.DELETE_ON_ERROR:

help:
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' Makefile
	@echo "variables:     QUICK=1 or FULL=1 (report), FULL=1, WORKERS=2, TYPES=0 (test), PYTHON=/path/to/python3 (before .venv exists)"

report: .venv/project ## every study and every claim -> results/report.html
	$(strip $(bin)/spindle report $(if $(call on,$(QUICK)),--quick) $(if $(call on,$(FULL)),--full))

play: .venv/project ## a page in a browser where the machines run, to play with; needs npm
	@$(bin)/spindle play

test: .venv/tools ## lint, types, the tests below a fifth of a second and some of each kind above; FULL=1: all
	$(bin)/python -m ruff check .
	@mkdir -p build
	$(if $(call on,$(TYPES)),$(bin)/python -m tests.typed,true) > build/types.txt 2>&1 & types=$$!; \
	$(bin)/python -m pytest -n $(WORKERS) --dist worksteal $(if $(call on,$(FULL)),--full); tests=$$?; \
	wait $$types || tests=1; cat build/types.txt; exit $$tests

verify: .venv/project ## each layer held to what others measured, as far as the data are in ../shared
	@$(bin)/spindle verify

soak: .venv/tools ## what takes long: kill -9 KILLS=100 times, fail at every call, INPUTS=1000000 bad messages, queues for hours
	SPINDLE_KILLS=$(KILLS) SPINDLE_FAULTS=1 SPINDLE_NBD_INPUTS=$(INPUTS) SPINDLE_FULL=1 $(bin)/python -m pytest --timeout=0 \
		-m "" tests/studies/sweep/test_kill.py tests/faults tests/serve/test_hostile.py tests/theory \
		tests/test_notebooks.py $$(grep -rl "import sample$$" tests)

fuzz: .venv/tools ## draw machines from all parts for MINUTES=10, from seed FIRST=0 on, and hold each to every law
	$(bin)/python -m tests.fuzz $(MINUTES) $(FIRST)

guided: .venv/guided ## change the files of every reader INPUTS=1000000 times, led by what they reach; READERS="sheet list" for some
	$(bin)/python -m tests.fuzz.guided $(INPUTS) $(FIRST) $(READERS)

mutants: .venv/mutants ## break the parts one place at a time and name what no test notices; FILES="sim/cpu.py sim/disc" for some
	$(bin)/python -m tests.mutants $(FILES)

audit: .venv/audit ## known holes of the packages that are installed; says so where nobody can be asked
	$(bin)/python -m tests.audit

bench: .venv/tools ## speed, as ratios and event counts
	$(bin)/python -m benchmarks

# The report of all studies, or else a quick one.
shown := $(firstword $(wildcard results/report.html results/quick/report.html))

site: shown .venv/docs ## documentation with all notebooks, report and the page to play with -> site/ (after make report; needs npm)
	$(sphinx) -t site -d build/doctrees/site docs site
	cd $(dir $(shown)) && cp --parents report*.html $$(ls claims.csv */*.csv 2> /dev/null) "$(CURDIR)/site"
	$(bin)/spindle play --out site/play --only-make

shown: # before anything is installed
	@[ -n "$(shown)" ] || { echo "there is no results/report.html to show, nor a quick one: make report"; exit 1; }

docs: .venv/docs ## the documentation -> build/docs/index.html
	$(sphinx) -d build/doctrees/docs docs build/docs

claims: .venv/project ## what the papers say against what is simulated -> results/claims.csv
	$(bin)/spindle claims

numbers: .venv/tools ## write the numbers that documents quote anew, from results/
	$(bin)/python -m tests.quotes

notebook: .venv/notebooks ## open the notebooks in a browser
	$(bin)/python -m jupyter lab notebooks

lint: .venv/tools ## ruff and mypy --strict
	$(bin)/python -m ruff check .
	$(bin)/python -m tests.typed

clean: ## remove .venv and every cache; results stay
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build spindle_sim.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamps are written last, so that an interrupted installation is done again. The packages start from an empty .venv:
# a half unpacked one would pass for installed, and one that is no longer required would linger.
.venv/packages: requirements.txt $(stale)
	$(if $(shell command -v "$(PYTHON)"),,$(error Spindle needs Python 3.11 or newer and finds no $(PYTHON); install it, or name one: PYTHON=/path/to/python3))
	$(if $(shell "$(PYTHON)" -c 'import sys; print("y" * (sys.version_info >= (3, 11)))' 2>/dev/null),,$(error Spindle needs Python 3.11 or newer, and $(PYTHON) is $(shell "$(PYTHON)" --version 2>&1); name another: PYTHON=/path/to/python3))
	$(if $(shell "$(PYTHON)" -c 'import ensurepip, venv; print("y")' 2>/dev/null),,$(error $(PYTHON) cannot make virtual environments; on Debian and Ubuntu install the missing package: sudo apt install $(shell "$(PYTHON)" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')))
	@echo "installing into .venv (once, half a minute)"
	@"$(PYTHON)" -m venv --clear .venv
	@$(install) -r requirements.txt
	@pwd -P > $@

.venv/project: .venv/packages pyproject.toml setup.py
	@$(pip) install --no-deps --editable .
	@touch $@

.venv/notebooks: .venv/project requirements-notebooks.txt
	@$(install) -r requirements-notebooks.txt
	@touch $@

.venv/tools: .venv/project requirements-dev.txt
	@echo "installing the test tools into .venv (once, half a minute)"
	@$(install) -r requirements-dev.txt
	@touch $@

.venv/docs: .venv/notebooks requirements-docs.txt
	@$(install) -r requirements-docs.txt
	@touch $@

.venv/audit: .venv/tools requirements-audit.txt
	@$(install) -r requirements-audit.txt
	@touch $@

.venv/guided: .venv/tools requirements-guided.txt
	@$(install) -r requirements-guided.txt
	@touch $@

.venv/mutants: .venv/tools requirements-mutants.txt
	@$(install) -r requirements-mutants.txt
	@touch $@
