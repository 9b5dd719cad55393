#!/usr/bin/env bash
# Makes sure that there are a Chromium and a font for the browser tests, and a Firefox and a display for test_firefox.py.
set -euo pipefail
apt="$(dirname "$0")/apt.sh"
found() {
  local candidate
  for candidate in "$@"; do
    if [[ -n $candidate ]] && command -v "$candidate" >/dev/null; then return 0; fi
  done
  return 1
}
purpose='Chromium for its browser tests'
found "${CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome ||
  "$apt" "$purpose" chromium-headless-shell fonts-dejavu-core || "$apt" "$purpose" chromium fonts-dejavu-core
second=()
found firefox firefox-esr || second+=(firefox-esr libgl1-mesa-dri)
found Xvfb || second+=(xvfb)
if ((${#second[@]})); then
  # All other tests run without them.
  "$apt" 'Firefox on a virtual display for test_firefox.py' "${second[@]}" || echo 'test_firefox.py will fail.' >&2
fi
