"""The `geoagent` command line. Each command imports what it needs when it runs: `--help` is instant."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from server.cli import analysis, lake, notes, spark

HELP = """
GeoAgent: chat over a map of your own PostGIS.

[bold]Begin[/bold] with [green]geoagent serve[/green] and open the address that it prints. Without
DATABASE_URL it keeps a private PostGIS; without a key the built-in offline model answers.

[bold]Then[/bold]

  geoagent load lakes.geojson --table lakes     bring in data of yours

  geoagent tables                               see what there is

  geoagent chat "show lakes in blue"            talk to the running server from here

Settings are environment variables (DATABASE_URL, GEOAGENT_MODEL, OPENAI_API_KEY, ...); docs/settings.md lists them.
"""

app = typer.Typer(
    name="geoagent",
    help=HELP,
    rich_markup_mode="rich",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(notes.app, name="notes")
app.add_typer(analysis.app, name="analysis")
app.add_typer(lake.app, name="lake")
app.add_typer(spark.app, name="spark")


def main() -> None:
    """Run the command line. Errors that the user can correct are printed as one sentence."""
    from server.cli.faults import explain

    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        message = explain(error)
        if message is None:
            raise
        print(message, file=sys.stderr)
        sys.exit(1)


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on (HOST).")] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0 takes a free one (PORT).")] = None,
) -> None:
    """Start the server. It prints one line with its address when it is ready.

    A second server joins by starting it with the same DATABASE_URL and another port: maps, chats and turns
    are shared between them.
    """
    from server.cli.serve import run

    run(host, port)


@app.command()
def load(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The file to load.")],
    table: Annotated[
        str | None, typer.Option(help="Name of the new table in the schema `data`; else the file's.")
    ] = None,
    layer: Annotated[str | None, typer.Option(help="Which layer, of a file that has several.")] = None,
    layers: Annotated[
        Literal["each", "united"] | None,
        typer.Option(help="All layers: each as a separate table, or united with a column `layer`."),
    ] = None,
    srid: Annotated[int | None, typer.Option(help="EPSG code, where the file does not say it.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Of text, where the file does not say it.")] = None,
    subdivide: Annotated[bool, typer.Option(help="Cut shapes of too many vertices into pieces.")] = False,
    quoted_text: Annotated[
        bool, typer.Option(help="Keep values in quotes as texts where a CSV puts all values in quotes.")
    ] = False,
    mode: Annotated[
        Literal["new", "append", "replace"],
        typer.Option(help="Make a new table, or append the rows to the one of --table, or replace its rows."),
    ] = "new",
) -> None:
    """Load a file (GeoJSON, GeoPackage, Shapefile in a zip, FlatGeobuf, CSV, Excel, ...) as a table.

    A running server knows the table at once. Example: geoagent load lakes.geojson --table lakes
    """
    from server.cli.data import load_into

    load_into(file, table, layer, layers, srid, encoding, subdivide, quoted_text, mode)


@app.command()
def tables(
    words: Annotated[
        str | None, typer.Argument(help="Search for these words instead of listing all.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Everything that is known, as JSON.")] = False,
    profile: Annotated[
        bool, typer.Option("--profile", help="Those that were measured: exact rows, age, what was found.")
    ] = False,
) -> None:
    """List the tables that can be drawn, with their geometry, rows and comment."""
    if profile:
        from server.cli.profiles import list_profiles

        list_profiles()
        return
    from server.cli.data import list_tables

    list_tables(words, as_json)


@app.command()
def describe(table: Annotated[str, typer.Argument(help="The table's id or name.")]) -> None:
    """Describe a table as JSON: columns, exact bounds, and counts of missing, empty, invalid and repeated values."""
    from server.cli.data import describe as describe_table

    describe_table(table)


@app.command()
def export(
    tables: Annotated[list[str], typer.Argument(help="Tables, in the order of the layers.")],
    out: Annotated[Path, typer.Option(help="File to write; its ending names the format.")],
    columns: Annotated[
        list[str] | None,
        typer.Option(
            help='Only these columns, in this order; "pop AS people" renames one. Of one table. Repeatable.'
        ),
    ] = None,
    where: Annotated[
        str | None, typer.Option(help="Only rows that pass this CQL2 filter. Of one table.")
    ] = None,
    format: Annotated[
        str | None, typer.Option(help="gpkg, geojson, geojsonl, fgb, parquet, shp, kml, csv, xlsx or json.")
    ] = None,
    options: Annotated[
        str | None, typer.Option(help='More as JSON: {"crs": "EPSG:2154", "precision": 3} (docs/data.md).')
    ] = None,
) -> None:
    """Write tables into one file: several layers, chosen columns, any reference system.

    Example: geoagent export parks trees --out city.gpkg
    """
    from server.cli.data import export_to

    export_to(tables, out, columns, where, format, options)


@app.command()
def chat(
    text: Annotated[str, typer.Argument(help='What you want, for example "show airports in red".')],
    map_id: Annotated[
        str | None,
        typer.Option("--map", help="The map to work on, by its id or address; without it a new one."),
    ] = None,
    server: Annotated[
        str | None, typer.Option(help="Address of the server; without it the one that the settings name.")
    ] = None,
) -> None:
    """Say something to a running server; prints the answer as it comes, and what changes on the map.

    Everyone who has the map open sees it happen. The last line is the address of the map.
    """
    from server.cli.chat import run_chat

    if not text.strip():
        raise typer.BadParameter("it is empty.", param_hint="text")
    run_chat(text, map_id, server)


@app.command(name="eval")
def evaluate(
    model: Annotated[
        str | None, typer.Option(help="The model, as in GEOAGENT_MODEL; without it the one that is set.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Only this category or case; * stands for any text. Repeatable.")
    ] = None,
    cases: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="A folder of cases of your own (*.toml)."),
    ] = None,
    at_once: Annotated[int, typer.Option(min=1, max=64, help="How many cases at the same time.")] = 1,
    seconds: Annotated[float, typer.Option(min=1, help="How long one case may take.")] = 300.0,
    as_json: Annotated[bool, typer.Option("--json", help="Everything, case by case, as JSON.")] = False,
    suite: Annotated[
        Literal["map", "analyst"],
        typer.Option(
            help="`map`: what is on the map; `analyst`: files that were exported, over data of its own."
        ),
    ] = "map",
    out: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Page whose part for the suite to write; without it the terminal.",
        ),
    ] = None,
) -> None:
    """Measure a model: requests in plain words over the sample data, judged by what they left on the map.

    Prints a Markdown table of pass rates, tokens, cost and seconds; fails when a case did not pass.
    docs/evaluation.md tells how to read it and how to add cases.
    """
    from server.cli.evaluate import evaluate as run
    from server.cli.evaluate import evaluate_analyst

    if suite == "analyst":
        evaluate_analyst(model, only or [], cases, seconds, as_json, out)
        return
    run(model, only or [], cases, at_once, seconds, as_json, out)


@app.command()
def tools(
    format: Annotated[
        str, typer.Option(help="One of markdown, json, openai, openai-chat, anthropic, openapi.")
    ] = "markdown",
    out: Annotated[Path | None, typer.Option(help="File to write; without it the terminal.")] = None,
) -> None:
    """Print the catalogue of the agent's tools."""
    from server.cli.exports import write_tools

    write_tools(format, out)


@app.command()
def migrate() -> None:
    """Bring the database up to this version, and stop. `serve` does it by itself."""
    from server.cli.data import migrate_database

    migrate_database()


@app.command(name="database-url")
def database_url() -> None:
    """Print the URL of the database, for psql: psql "$(geoagent database-url)". It holds a password.

    A private database runs only while something uses it: keep a server running meanwhile.
    """
    from server.cli.data import print_url

    print_url()
