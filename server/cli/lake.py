"""`geoagent lake`: register datasets of Parquet files as tables, without copying them."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from server.gis.lake.register import Lake, LakeReport

app = typer.Typer(
    help="Tables whose rows stay in Parquet files, for data beyond one database (docs/lake.md)."
)


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="Name of the new table in the schema `data`.")],
    location: Annotated[
        str,
        typer.Argument(
            help="A GeoParquet file, or a folder of them: a path, or an address (s3://, gs://, https://)."
        ),
    ],
    srid: Annotated[int | None, typer.Option(help="EPSG code, where the files do not say it.")] = None,
) -> None:
    """Register a dataset as a table. Only its metadata and a sample of its rows are read.

    It must be in a folder of GEOAGENT_LAKE_PATHS, or at an address of GEOAGENT_LAKE_ADDRESSES.
    Example: geoagent lake add pings /srv/lake/pings
    """
    _print(_with_lake(lambda lake: lake.add(name, location, srid=srid)))


@app.command()
def refresh(table: Annotated[str, typer.Argument(help="The lake table's id or name.")]) -> None:
    """Register a lake table again, after its files changed."""
    _print(_with_lake(lambda lake: lake.refresh(table)))


@app.command()
def remove(table: Annotated[str, typer.Argument(help="The lake table's id or name.")]) -> None:
    """Remove a lake table. Its files stay."""
    print(f"{_with_lake(lambda lake: lake.remove(table))} is removed; its files are as they were.")


@app.command(name="list")
def list_() -> None:
    """List the lake tables with their rows, files and folders."""
    for each in _with_lake(lambda lake: lake.tables()):
        size = f"{each.rows:,} rows, {each.files:,} files, {each.bytes / 1e6:,.0f} MB"
        print(f"{each.table:<32} {size:<48} {each.location}")


def _with_lake(work: Callable[[Lake], Awaitable[Any]]) -> Any:
    from server.cli.data import with_database
    from server.gis.lake.register import Lake
    from server.lake import lake_storage
    from server.settings import Settings

    return with_database(lambda database: work(Lake(database.owner, lake_storage(Settings()))))


def _print(report: LakeReport) -> None:
    dataset = report.dataset
    kind = f"{dataset.geometry_type}, EPSG:{dataset.srid}" if dataset.geometry_type else "no geometry"
    print(
        f"{report.table}: {dataset.rows:,} rows in {len(dataset.files):,} files "
        f"({dataset.bytes / 1e6:,.0f} MB), {kind}; a sample of {report.sample_rows:,} rows in {report.seconds:.1f} s"
    )
    for remark in report.remarks:
        print(f"  {remark}", file=sys.stderr)
