"""`geoagent spark`: fetch what Spark needs besides its Python package, and run one on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Analyses of many millions of rows on Apache Spark with Apache Sedona (docs/spark.md)."
)

JarFolder = Annotated[
    Path | None,
    typer.Option("--jars", file_okay=False, help="Folder of the jars; else one in the user's cache."),
]


@app.command()
def install(jars: JarFolder = None) -> None:
    """Fetch Sedona and Spark Connect from Maven Central (with mvn), and check their SHA-256.

    The Python part comes first: pip install "geoagent\\[spark]"
    """
    from server.spark.jars import default_folder
    from server.spark.jars import install as fetch

    for jar in fetch(jars or default_folder(), print):
        print(jar)


@app.command()
def start(
    workers: Annotated[int, typer.Option(min=1, max=64, help="How many workers.")] = 2,
    cores: Annotated[int, typer.Option(min=1, max=256, help="Cores of each worker.")] = 1,
    memory: Annotated[int, typer.Option(min=512, help="Megabytes of heap of each worker.")] = 768,
    driver: Annotated[int, typer.Option(min=512, help="Megabytes of heap of the driver.")] = 768,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Of Spark Connect; 0 takes a free one.")
    ] = 15002,
    jars: JarFolder = None,
) -> None:
    """Start a master, workers and a Spark Connect server on the loopback, until Ctrl+C.

    It prints the value for GEOAGENT_SPARK when it is ready.
    """
    import signal

    from server.spark.cluster import ClusterSize, LocalCluster

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with LocalCluster(ClusterSize(workers, cores, memory, driver), jars, port) as cluster:
        print(f"GEOAGENT_SPARK={cluster.url}", flush=True)
        try:
            cluster.wait()
        except KeyboardInterrupt:
            print("Stopping Spark ...", flush=True)
