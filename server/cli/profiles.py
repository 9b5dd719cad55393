"""`geoagent tables --profile`: what is known of the tables that were measured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import asyncpg

from server import postgres
from server.cli.data import in_event_loop
from server.settings import Settings

_PROFILES = """
SELECT n.nspname || '.' || c.relname AS id, p.document, p.error, p.seconds, now() - p.measured_at AS age,
  o.document AS overviews, o.error AS overview_error, o.seconds AS overview_seconds,
  o.next_steps IS NOT NULL AS is_built, o.filtered
FROM geoagent.table_profile AS p
FULL JOIN geoagent.overview AS o ON o.relid = p.relid
JOIN pg_class AS c ON c.oid = coalesce(p.relid, o.relid) JOIN pg_namespace AS n ON n.oid = c.relnamespace
ORDER BY 1
"""


@in_event_loop
async def list_profiles() -> None:
    """Print the stored profile of every table that has one, or overviews."""
    async with postgres.ensure(Settings()) as url:
        connection = await asyncpg.connect(url, timeout=10)
        try:
            rows = await connection.fetch(_PROFILES)
        finally:
            await connection.close()
    if not rows:
        print("No table was measured yet. Tables are measured when a map that shows them is open.")
    for row in rows:
        print(described(row))
        for line in filtered_overviews(row):
            print(line)


def described(row: Any) -> str:
    """One line about a table."""
    if row["age"] is None:
        return f"{row['id']:<32} is not measured yet; {overviews(row)}"
    age = f"{row['age'].total_seconds() / 60:.0f} min ago, took {row['seconds']:.1f} s"
    if row["document"] is None:
        return f"{row['id']:<32} could not be measured ({row['error']}); {age}"
    found = json.loads(row["document"])
    types = ", ".join(f"{count:,} {name.lower()}" for name, count in found["geometry_types"].items())
    sound = "sound" if found["is_sound"] else "has broken geometries"
    facts = f"{types or 'no geometry'}; {sound}; {overviews(row)}; {age}"
    return f"{row['id']:<32} {found['rows']:>14,} rows  {facts}"


def overviews(row: Any) -> str:
    """What there is for low zoom levels."""
    if row["is_built"]:
        return "overviews are being built"
    if row["overview_error"] is not None:
        return f"no overviews ({row['overview_error']})"
    if row["overviews"] is None:
        return "no overviews needed"
    return f"overviews for {_size(json.loads(row['overviews']), row['overview_seconds'])}"


def filtered_overviews(row: Any) -> list[str]:
    """One line for each filter whose rows have separate overviews."""
    return [
        f"  overviews of {each['ladder']['rows']:,} rows that pass {named}: {_size(each['ladder'], each['seconds'])}"
        for named, each in json.loads(row["filtered"] or "{}").items()
    ]


def _size(ladder: Mapping[str, Any], seconds: float) -> str:
    return f"zoom 0 to {ladder['below'] - 1}, {ladder['bytes'] / 1e6:,.0f} MB, took {seconds:.0f} s"
