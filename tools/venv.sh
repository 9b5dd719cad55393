#!/usr/bin/env bash
# Makes a virtual environment if there is none that works, and installs exactly what a lock file names, by its hashes.
# Usage: tools/venv.sh FOLDER LOCKFILE
set -euo pipefail
venv=$1 lock=$2

fitting() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
minor() { "$1" -c 'import sys; print(sys.version_info[1])' 2>/dev/null; }

if ! fitting "$venv/bin/python"; then
  python=
  for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
    if fitting "$candidate"; then python=$candidate && break; fi
  done
  # Distributions build Python with profile-guided optimisation; one that a version manager built is 10 to 15 % slower.
  if [[ $python == python3 && $(minor /usr/bin/python3) == "$(minor python3)" ]]; then python=/usr/bin/python3; fi
  if [[ -z $python ]]; then
    echo 'GeoAgent needs Python 3.11 or newer. Install one, or name it: make run PYTHON=/path/to/python3' >&2
    exit 1
  fi
  "$python" -c 'import venv, ensurepip' 2>/dev/null || "$(dirname "$0")/apt.sh" 'virtual environments for Python' python3-venv
  "$python" -m venv --clear "$venv"
fi
echo "Installing the Python packages of $lock ..." >&2
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --no-deps --no-compile \
  --require-hashes -r "$lock"
