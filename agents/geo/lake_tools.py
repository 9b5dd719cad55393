"""The tool that registers datasets of Parquet files as tables. Offered if the host has folders for them."""

from __future__ import annotations

from agents.core import Result, ToolFailed, tool
from agents.geo.tools import GeoTools
from agents.geo.wording.phrases import count_of, number
from agents.ports import LakeTables
from agents.worded import Template

NO_FOLDER = Template("lake_no_folder", "No folder may be read for lake tables on this server.")


_DATASET = "(dataset|data set|lake table|parquet [file|files|folder]|geoparquet [file|files|folder])"


class LakeTools(GeoTools):
    """The tool that registers lake tables; a mixin of GeoAgent."""

    lake: LakeTables | None

    @tool(
        phrases=(
            f"(add|register) [the|a] {_DATASET} {{location}} as {{name}}",
            f"(add|register) [the|a] {_DATASET} {{location}}",
        ),
        timeout=None,
        sequential=True,
    )
    async def add_lake_table(self, location: str, name: str | None = None, srid: int | None = None) -> Result:
        """Register Parquet files of the server as a table, without loading them.

        Args:
            location: The path or address of a file or folder, as the user wrote it.
            name: Of the table.
            srid: EPSG code, where the files lack it.
        """
        if self.lake is None:
            raise ToolFailed(NO_FOLDER())
        added = await self.lake.add(location, name, srid, self.map)
        self.remember_tables([self.table(added.table)])
        size = f"{count_of(added.rows, 'row')} in {count_of(added.files, 'file')}"
        answer = [f"I added {added.table}: {size}, which stay where they are."]
        if added.sample_rows < added.rows:
            sample = number(added.sample_rows)
            answer.append(
                f"Statistics come from a sample of {sample}, as do maps from afar until Spark has read all rows; "
                "counts, lists and analyses on Spark read all of them."
            )
        facts = {
            **added.model_dump(mode="json", exclude_defaults=True),
            "answer": " ".join([*answer, *added.remarks]),
        }
        return Result(facts, summary=f"{added.table}: {size}")
