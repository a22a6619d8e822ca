# Every target does the set-up that it needs; a finished set-up is used again.

.DEFAULT_GOAL := help
.PHONY: help setup demo test formal equivalence mutate regress regress-model regress-hardware verilator \
	soak lint types cosim cost bench figures pictures waves report docs lock clean

BIN := .venv/bin
NETWORK ?= networks/borel-21.yaml

# A soak: all network files but variants of one size, the largest, and those whose
# links or terminals have commands of their own; and how many flits in each. Across OS-Links a flit
# takes hundreds of cycles.
LARGE := borel-1081-set% borel-15657% borel-17525 borel-2943 metacyclic-205 metacyclic-513 metacyclic-7550
SERIAL := %-axi %-axi-deflection %-flow %-os-link %-transputers
SOAKED := $(filter-out $(LARGE) $(SERIAL),$(basename $(notdir $(wildcard networks/*.yaml))))
FLITS ?= 40000000
FLITS_RTL ?= 400000
FLITS_OS_LINK ?= 5000

# Pages: what is shown under load, and what else with about 1,000 nodes of degree 4 is beside it.
STORED := build/report/stored
SMALL := borel-21 kyklos-2-2-4 scc-4
RIVALS := borel-1081 metacyclic-1155 torus-32x32 mesh-32x32
# What `make formal` and `make mutate` have written, if they have: that takes long.
PARTS = $(foreach part,formal mutation,$(addprefix --$(part) ,$(wildcard build/$(part).json)))

# The tools of the virtual environment come first, also for the simulators' own makefiles, which
# must not get the flags of this one.
export PATH := $(CURDIR)/$(BIN):$(PATH)
unexport MAKEFLAGS MFLAGS MAKELEVEL PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE

help: ## print this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS='	' read -r name what; \
	do printf '  make %-9s %s\n' "$$name" "$$what"; done

setup: ## virtual environment in .venv, pinned packages, Icarus Verilog, abc
	@scripts/setup

demo: setup ## one network end to end: model, Verilog, co-simulation
	$(BIN)/fingerpost demo

# Types beside the tests: without its cache mypy takes half a minute of one core. Each worker begins
# with half of the tests in a row, so that what the tests of a file share is made once.
test: lint ## lint, types and all tests but the long ones
	@$(BIN)/mypy & types=$$!; \
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not regress"; tests=$$?; \
	wait $$types || { echo "types are wrong, see above"; exit 1; }; exit $$tests

# In two parts, each to be run alone as well: together about three hours of two cores.
regress: regress-model regress-hardware ## all tests, the long ones too, but those of the next two

regress-model: setup
	@scripts/setup browser
	@scripts/setup machine
	@scripts/setup cost
	@scripts/setup docs
	$(BIN)/python -m pytest -n 2 --dist worksteal --ignore tests/testbench \
		-m "not (regress and verilator)"

regress-hardware: setup
	@scripts/setup verilator
	$(BIN)/python -m pytest tests/testbench -n 2 --dist worksteal \
		-m "not (regress and verilator)"

formal: setup ## all proofs, as a table and as build/formal.json
	$(BIN)/python -m fingerpost.formal --json build/formal.json

equivalence: setup ## the printed Verilog of all networks but the largest and Amaranth's own netlist
	$(BIN)/python scripts/equivalence.py $(filter-out networks/borel-15657% networks/borel-17525%,\
		$(wildcard networks/*.yaml))

mutate: setup ## small changes of the hardware, some of each component, and which nothing finds
	$(BIN)/python -m mutation --json build/mutation.json

verilator: setup ## the long tests that run in Verilator
	@scripts/setup machine
	$(BIN)/python -m pytest -n 2 -m "verilator and regress"

soak: setup ## 10^9 flits in the model, 10^7 in RTL, all families; goes on where it was
	$(BIN)/fingerpost soak $(SOAKED:%=networks/%.yaml) --flits $(FLITS) --state sim_build/soak.jsonl
	$(BIN)/fingerpost soak networks/borel-21-os-link.yaml --flits $(FLITS_OS_LINK) \
		--state sim_build/soak.jsonl
	$(BIN)/fingerpost soak --rtl $(SOAKED:%=networks/%.yaml) --flits $(FLITS_RTL) \
		--state sim_build/soak-rtl.jsonl

lint: setup ## ruff (rules and format), codespell, import-linter
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/codespell
	$(BIN)/lint-imports

types: setup ## mypy, strict
	$(BIN)/mypy

cosim: setup ## hardware against model: NETWORK=networks/borel-21.yaml
	$(BIN)/fingerpost cosim $(NETWORK)

cost: NETWORK = networks/borel-1081.yaml
cost: ## FPGA area and speed of a router: NETWORK=networks/borel-1081.yaml
	@scripts/setup cost
	$(BIN)/fingerpost cost $(NETWORK)

bench: ## how fast model, simulators and OS-Links are
	@scripts/setup cost
	@for each in model_speed os_link; do \
	$(BIN)/python -m benchmarks.$$each || exit; done
	@$(BIN)/python -m benchmarks.units two-phase

# What is measured again: rows or sections by name, --all, or the oldest rows in so many CPU minutes.
FIGURES ?= --minutes 10

figures: setup ## measure what docs/design/measured.md shows, the oldest first: FIGURES="--minutes 10"
	@scripts/setup cost
	$(BIN)/python -m benchmarks.figures $(FIGURES)

pictures: setup ## draw the pictures of docs/reference/networks.md afresh
	$(BIN)/python scripts/pictures.py

curves: setup ## measure the curves of docs/explanation/results.md and docs/design/curves.md afresh
	$(BIN)/python -m benchmarks.curves

waves: setup ## draw the timing diagrams of docs/design/waves.md afresh, from simulations
	$(BIN)/python -m scripts.waves

docs: ## a site of the pages in docs/, in build/site; it opens from files
	@scripts/setup docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# What a page tells of a run is stored beside it: an interrupted sweep goes on where it was.
report: ## pages to look at, in build/report: borel-21, borel-1081 beside others, kyklos, scc
	@scripts/setup cost
	@mkdir -p $(STORED)
	$(BIN)/fingerpost cosim networks/borel-21.yaml --level network --json >$(STORED)/cosim.json
	$(BIN)/fingerpost cosim networks/borel-21.yaml --level router --simulator verilator --lines \
		--cycles 3400 --json >$(STORED)/lines.json
	$(BIN)/fingerpost cost networks/borel-21.yaml --json >$(STORED)/cost.json
	$(BIN)/fingerpost sweep $(SMALL:%=networks/%.yaml) --loads 0.1..0.9:0.2 -o $(STORED)/small
	$(BIN)/fingerpost sweep $(RIVALS:%=networks/%.yaml) --loads 0.05,0.1..0.5:0.1 --resolution 0.02 \
		-o $(STORED)/rivals
	$(BIN)/fingerpost report networks/borel-21.yaml -o build/report --sweep $(STORED)/small.json \
		--cost $(STORED)/cost.json --cosim $(STORED)/cosim.json --cosim $(STORED)/lines.json $(PARTS)
	$(BIN)/fingerpost report $(RIVALS:%=networks/%.yaml) -o build/report \
		--sweep $(STORED)/rivals.json
	$(BIN)/fingerpost report networks/kyklos-2-2-4.yaml networks/scc-4.yaml -o build/report \
		--sweep $(STORED)/small.json

lock: setup ## resolve the packages of pyproject.toml afresh into the lock files
	$(BIN)/python scripts/lock.py

clean: ## remove all that was generated, the virtual environment too
	rm -rf .venv .venv.lock build *.egg-info .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find sim_build -mindepth 1 ! -name .gitignore -delete
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
