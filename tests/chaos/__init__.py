"""Attacks and faults beside people who only want to work: `python -m tests.chaos`, which is `make chaos`.

Each round puts an unrelated visitor (`Stranger`) and somebody who stays on one map (`Regular`) beside an attack or a
fault, and checks afterwards that nothing was lost, doubled or left over. tests/integration/load/test_chaos.py runs the
same rounds in short."""
