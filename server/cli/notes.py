"""`geoagent notes`: notes of users about the data, for the model."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from server.database.engines import Database
    from server.notes import Notes

HELP = """Notes about your data in Markdown: the meaning of fields, units, caveats.

The ones that fit a message are given to the model together with it.

Example: geoagent notes add "Lake levels" --text "level is in metres above sea level" --table data.lakes
"""

app = typer.Typer(help=HELP, no_args_is_help=True)


@app.command()
def add(
    title: Annotated[str, typer.Argument(help="What the note is about.")],
    text: Annotated[str | None, typer.Option(help="The note.")] = None,
    file: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="The note as a file.")
    ] = None,
    table: Annotated[
        list[str] | None, typer.Option(help="A table that it is about; may be repeated.")
    ] = None,
) -> None:
    """Add a note. Without --text and --file it is read from standard input."""
    from server.cli.data import read_tables, with_database
    from server.notes import Notes

    try:
        body = text if text is not None else file.read_text("utf-8") if file else sys.stdin.read()
    except UnicodeDecodeError:
        raise typer.BadParameter("it is not text in UTF-8.", param_hint="--file") from None
    if not body.strip():
        raise typer.BadParameter("it is empty.", param_hint="the note")

    async def work(database: Database) -> str:
        registry = await read_tables(database) if table else None
        ids = [registry.get(name).id for name in table or ()] if registry else []
        return (await Notes(database.owner).add(title, body, ids)).id

    print(with_database(work))


@app.command(name="list")
def list_notes() -> None:
    """List all notes."""
    for note in _with_notes(lambda notes: notes.all()):
        about = f"  [{', '.join(note.tables)}]" if note.tables else ""
        print(f"{note.id}  {note.title}{about}")


@app.command()
def remove(note_id: Annotated[str, typer.Argument(help="The id that `notes list` shows.")]) -> None:
    """Remove a note."""
    if not _with_notes(lambda notes: notes.remove(note_id)):
        print(f"There is no note {note_id}.", file=sys.stderr)
        raise typer.Exit(1)


def _with_notes(work: Callable[[Notes], Awaitable[Any]]) -> Any:
    from server.cli.data import with_database
    from server.notes import Notes

    return with_database(lambda database: work(Notes(database.owner)))
