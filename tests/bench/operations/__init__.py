"""Operations against hand-written SQL and GeoPandas: `python -m tests.bench.operations`."""
