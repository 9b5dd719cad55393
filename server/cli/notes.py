"""`geoagent notes`: notes of users about the data, for the model."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

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
    from server.cli.data import open_database
    from server.notes import Notes

    body = text if text is not None else file.read_text() if file else sys.stdin.read()

    async def run() -> None:
        async with open_database() as database:
            print((await Notes(database.owner).add(title, body, table or ())).id)

    asyncio.run(run())


@app.command(name="list")
def list_notes() -> None:
    """List all notes."""
    from server.cli.data import open_database
    from server.notes import Notes

    async def run() -> None:
        async with open_database() as database:
            for note in await Notes(database.owner).all():
                about = f"  [{', '.join(note.tables)}]" if note.tables else ""
                print(f"{note.id}  {note.title}{about}")

    asyncio.run(run())


@app.command()
def remove(note_id: Annotated[str, typer.Argument(help="The id that `notes list` shows.")]) -> None:
    """Remove a note."""
    from server.cli.data import open_database
    from server.notes import Notes

    async def run() -> bool:
        async with open_database() as database:
            return await Notes(database.owner).remove(note_id)

    if not asyncio.run(run()):
        print(f"There is no note {note_id}.", file=sys.stderr)
        raise typer.Exit(1)
