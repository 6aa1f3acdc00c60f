# Two commands for a newcomer: `make build` runs the whole transfer on the bundled sample, `make test` runs the tests.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
export DVC_NO_ANALYTICS := 1
export HF_HUB_DISABLE_TELEMETRY := 1
# Kept bytecode starts a stage in half the time; some containers switch it off.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: build test lint plan review clean use lock push pull

build: $(VENV)/ok
	@dvc repro
	@python -m stages.summary

test: $(VENV)/ok
	@python -m pytest -q tests

lint: $(VENV)/ok
	@ruff check stages tests benchmarks
	@mypy stages

plan: $(VENV)/ok
	@dvc repro --quiet compose && python -m stages.llm plan

# The desk where native speakers review: a page on this machine.
review: $(VENV)/ok
	@python -m stages.review.built
	@python -m stages.review.desk

# Data, audio and the stores of replies and speech, to and from the DVC remote: nobody pays twice. REMOTE names another one.
push pull: $(VENV)/ok
	@python -m stages.stores $@ $(REMOTE)

# make use PROFILE=full: take that profile's knobs.
use:
	@test -f conf/params/$(PROFILE).yaml || { echo "error: PROFILE is one of: $(basename $(notdir $(wildcard conf/params/*.yaml)))"; exit 1; }
	@cp conf/params/$(PROFILE).yaml params.yaml

# The lock installs everything, tests included, with hashes; uv where found, else pip.
$(VENV)/ok: requirements.lock pyproject.toml
	@if command -v uv >/dev/null; then \
	  uv venv --quiet --allow-existing --python $(PYTHON) $(VENV) && \
	  uv pip sync --quiet --require-hashes --python $(BIN)/python requirements.lock ; \
	else \
	  $(PYTHON) -m venv $(VENV) && \
	  $(BIN)/python -m pip install --quiet --no-deps --require-hashes -r requirements.lock ; \
	fi
	@touch $@

# Maintainers: renew the lock after editing pyproject.toml. No registry address is written.
lock:
	uv pip compile pyproject.toml --universal --extra test --extra lint --python-version 3.11 --no-header --generate-hashes --quiet -o requirements.lock

# What can be made again for nothing. The stores in .cache hold what was paid for: delete those by hand, if ever.
clean:
	rm -rf $(VENV)
	@find data -mindepth 2 -type f $(foreach kept,decisions handwritten raw review sample,-not -path 'data/$(kept)/*') -delete
