# Every target does the set-up that it needs; a finished set-up is used again.

.DEFAULT_GOAL := help
.PHONY: help setup demo test regress exact verilator lint types cosim cost bench pictures lock clean

BIN := .venv/bin
NETWORK ?= networks/borel-21.yaml

# The tools of the virtual environment come first, also for the simulators' own makefiles, which
# must not get the flags of this one.
export PATH := $(CURDIR)/$(BIN):$(PATH)
unexport MAKEFLAGS MFLAGS MAKELEVEL PYTHONPATH PYTHONHOME

help: ## print this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS='	' read -r name what; \
	do printf '  make %-9s %s\n' "$$name" "$$what"; done

setup: ## virtual environment in .venv, pinned packages, Icarus Verilog, abc
	@scripts/setup

demo: setup ## one network end to end: model, Verilog, co-simulation
	$(BIN)/fingerpost demo

test: lint types ## lint, types and all tests but the long ones
	$(BIN)/python -m pytest -n 2 -m "not regress"

regress: setup ## all tests, the long ones too, but those of the next two
	$(BIN)/python -m pytest -n 2 -m "not (regress and (verilator or exact))"

exact: setup ## the compiled model beside its reference, register by register, for long
	$(BIN)/python -m pytest -n 2 -m exact

verilator: setup ## the long tests that run in Verilator
	$(BIN)/python -m pytest -n 2 -m "verilator and regress"

lint: setup ## ruff: rules and format
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: setup ## mypy: strict for golden and fingerpost
	$(BIN)/mypy

cosim: setup ## hardware against model: NETWORK=networks/borel-21.yaml
	$(BIN)/fingerpost cosim $(NETWORK)

cost: NETWORK = networks/borel-1081.yaml
cost: ## FPGA area and speed of a router: NETWORK=networks/borel-1081.yaml
	@scripts/setup cost
	$(BIN)/fingerpost cost $(NETWORK)

bench: ## how fast model, tables, simulators, generator and OS-Links are
	@scripts/setup cost
	@for each in distances routing search model_speed tables decisions generate os_link os_link_frames \
	os_link_faults os_link_network os_link_size; do \
	$(BIN)/python -m benchmarks.$$each || exit; done

pictures: setup ## draw the pictures of docs/pictures.md afresh
	$(BIN)/python scripts/pictures.py

lock: setup ## resolve the packages of pyproject.toml afresh into the two lock files
	$(BIN)/python scripts/lock.py

clean: ## remove all that was generated, the virtual environment too
	rm -rf .venv .venv.lock build *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find sim_build -mindepth 1 ! -name .gitignore -delete
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
