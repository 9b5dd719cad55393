#!/usr/bin/env bash
# Runs pytest with these arguments. What fails while everything runs at once is run again by itself, or it has failed.
# What only then passes is named at the very end, where nobody overlooks it: such a test, or what it tests, is not sound.
set -uo pipefail
cd "$(dirname "$0")/.."
run() { .venv/bin/python -m pytest "$@"; }

run --cache-clear "$@" && exit
status=$?
[ "$status" -eq 1 ] || exit "$status" # 1: tests failed; 2: somebody pressed Ctrl-C; others: pytest itself could not go on.
mapfile -t failed < <(.venv/bin/python -c 'import json
print(*json.load(open(".pytest_cache/v/cache/lastfailed")), sep="\n")')
[ "${#failed[@]}" -gt 0 ] || exit "$status"

run "${failed[@]}" || exit
{
    printf '\n\033[1;31m%s\033[0m\n' "UNSOUND: ${#failed[@]} failed at first and passed when run alone. Find out why:"
    printf '  %s\n' "${failed[@]}"
} >&2
