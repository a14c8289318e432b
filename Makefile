# Two commands set up everything on a machine with python3 (3.11 or newer, with venv) and make:
#   make lab    the workbench        make test    everything that is promised, checked
# The environment lives in .venv and is made anew only when pyproject.toml moves. uv is used when it is there.
.POSIX:

PYTHON = python3
BIN = .venv/bin
JOBS = 2
PYTEST = $(BIN)/python -m pytest -n $(JOBS)
TESTS = --nbval-lax --nbval-current-env tests notebooks

# Makes .venv if there is none and installs into it; EXTRA names the extras.
INSTALL = set -e; \
	has_uv() { uv --version >/dev/null 2>&1; }; \
	say() { echo "recall_lab: $$*" >&2; }; \
	if [ ! -x .venv/bin/python ]; then \
		found=; \
		for python in "$(PYTHON)" python3.14 python3.13 python3.12 python3.11; do \
			if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found=$$python; break; fi; \
		done; \
		if [ -z "$$found" ]; then \
			say "needs Python 3.11 or newer, and $(PYTHON) here is $$("$(PYTHON)" -V 2>&1 | head -n 1);" \
				"install one, or name it: make PYTHON=/path/to/python3.12"; exit 1; \
		fi; \
		if has_uv; then uv venv -q --python "$$found" .venv; \
		else "$$found" -m venv .venv || { rm -rf .venv; say "$$found cannot make an environment;" \
			"install its venv package (Debian and Ubuntu: apt install python3-venv)"; exit 1; }; fi; \
	fi; \
	say "installing into .venv (once; some minutes and 800 MB)"; \
	if [ -t 2 ]; then quiet=; else quiet=-q; fi; \
	if has_uv; then uv pip install $$quiet --python .venv/bin/python -e ".$$EXTRA"; \
	else .venv/bin/python -m pip --version >/dev/null 2>&1 || .venv/bin/python -m ensurepip >/dev/null; \
		.venv/bin/python -m pip install $$quiet --disable-pip-version-check -e ".$$EXTRA"; fi

help:
	@echo "make lab        install, capture your transcripts after asking once, open JupyterLab"
	@echo "make demo       the same without a browser, on the packaged sample; results go to demo/"
	@echo "make test       install with the test extras and run every test and notebook, JOBS=2 at a time"
	@echo "make test-deep  the long tests: many kills, ten thousand cases, big files"
	@echo "make check      ruff, mypy --strict, import-linter"
	@echo "make sample     write the packaged sample again"
	@echo "make notebooks  run the notebooks on the packaged sample and store what they show"
	@echo "make picture    take docs/img/workbench.png in a real JupyterLab (needs chromium)"
	@echo "make clean      remove demo/, builds and caches; .venv and work/ stay"

lab: .venv/lab.stamp
	@$(BIN)/recall-lab lab $(OPTIONS)

demo: .venv/lab.stamp
	@$(BIN)/recall-lab demo

test: .venv/test.stamp
	$(PYTEST) --dist loadfile -m "not deep" $(TESTS)

test-deep: .venv/test.stamp
	$(PYTEST) --dist worksteal -m deep tests

check: .venv/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

sample: .venv/lab.stamp
	@$(BIN)/python -m recall_lab.sample.generate

notebooks: .venv/test.stamp
	@$(BIN)/python tests/notebooks/store_output.py

picture: .venv/test.stamp
	@$(BIN)/python -m tests.browser.picture

clean:
	rm -rf demo build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -not -path './.venv/*' -prune -exec rm -rf {} +

.venv/lab.stamp: pyproject.toml
	@EXTRA=''; $(INSTALL)
	@touch $@

.venv/test.stamp: pyproject.toml
	@EXTRA='[test]'; $(INSTALL)
	@touch .venv/lab.stamp $@

.PHONY: help lab demo test test-deep check sample notebooks picture clean
