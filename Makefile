# Two commands from a bare clone:  make demo  and  make test.
# Everything happens in .venv; a second call of anything starts at once.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
SAMPLE := examples/application.pdf

.PHONY: web demo test test-train test-ray audit lint format bench lock system-tools clean

demo: $(VENV)/.runtime  ## recover the sample form; leaves a fillable PDF and a picture of it in demo/
	@mkdir -p demo
	$(BIN)/acromeld recover $(SAMPLE) -o demo/application.fillable.pdf --fields demo/application.fields.json --force
	$(BIN)/python tools/picture.py demo/application.png demo/application.fillable.pdf --fill
	@echo "Open demo/application.fillable.pdf in any viewer; demo/application.png is a picture of it."

test: $(VENV)/.dev system-tools  ## everything but the torch rooms
	$(BIN)/python -m pytest --numprocesses auto

test-train: $(VENV)/.train  ## the torch rooms: model and training
	$(BIN)/python -m pytest tests/model tests/train

test-ray: $(VENV)/.ray  ## batches on a local Ray cluster
	$(BIN)/python -c "import ray"
	$(BIN)/python -m pytest tests/batch/test_ray.py

audit: $(VENV)/.dev  ## pins, hashes, licences and imports, offline; known vulnerabilities need pip-audit and a network
	$(BIN)/python tools/audit.py

lint: $(VENV)/.train  ## ruff and mypy --strict, which needs the types of torch
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev  ## speed and memory on real pages: make bench CORPUS=folder-of-pdfs
	$(BIN)/python tools/bench.py $(or $(CORPUS),examples)
	$(BIN)/python tools/bench_detectors.py $(or $(CORPUS),examples)

lock: $(VENV)/.dev  ## renew the pinned versions
	$(PIP) install uv
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
		pyproject.toml -o requirements/runtime.lock
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
		--extra dev pyproject.toml -o requirements/dev.lock
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
		--extra ray -c requirements/dev.lock pyproject.toml -o requirements/ray.lock

system-tools:  ## other people's PDF tools that judge our output; installed on Debian as root, else tests say what is missing
	@tools/system_tools.sh

web:  ## build the review page from web/ into the package; tests/review/test_bundle.py says whether it is current
	cd web && npm ci --ignore-scripts --no-audit --no-fund && npm run build

clean:
	rm -rf $(VENV) demo build dist

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements/runtime.lock pyproject.toml | $(BIN)/python
	$(PIP) install --require-hashes -r requirements/runtime.lock
	$(PIP) install --no-deps -e .
	@touch $@

$(VENV)/.dev: requirements/dev.lock pyproject.toml | $(BIN)/python
	$(PIP) install --require-hashes -r requirements/dev.lock
	$(PIP) install --no-deps -e .
	@touch $@

$(VENV)/.train: $(VENV)/.dev
	$(PIP) install torch==2.13.0
	@touch $@

$(VENV)/.ray: requirements/ray.lock $(VENV)/.dev
	$(PIP) install --require-hashes -r requirements/ray.lock
	@touch $@
