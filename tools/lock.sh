#!/usr/bin/env bash
# Locks the Python requirements, with hashes and without the address of any package index.
set -euo pipefail
uv=.local/lock/bin/uv
if [[ ! -x $uv ]]; then
  python3 -m venv .local/lock
  .local/lock/bin/pip install --quiet --disable-pip-version-check uv
fi
compile() {
  "$uv" pip compile "$@" --upgrade --python-version 3.11 --universal --generate-hashes \
    --no-emit-index-url --no-emit-find-links --no-header --no-annotate --quiet
}
compile pyproject.toml tools/build-requirements.in -o requirements.lock
compile pyproject.toml tools/build-requirements.in --group dev -o requirements-dev.lock
# Beside the test requirements in one environment, so with their versions.
compile pyproject.toml --extra spark --constraint requirements-dev.lock -o requirements-spark.lock
compile tools/node-requirements.in -o tools/node-requirements.lock
