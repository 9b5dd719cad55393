#!/usr/bin/env bash
# Makes sure that there is a Chromium for the browser tests, and a font for what it draws.
set -euo pipefail
for candidate in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
  if [[ -n $candidate ]] && command -v "$candidate" >/dev/null; then exit 0; fi
done
exec "$(dirname "$0")/apt.sh" 'Chromium for its browser tests' chromium fonts-dejavu-core
