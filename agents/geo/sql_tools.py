"""The tool for one SELECT written by the model, for questions that no other tool answers. Offered if the host
runs SQL."""

from __future__ import annotations

from agents.core import Result, ToolFailed, tool
from agents.geo.tools import GeoTools
from agents.geo.wording.phrases import count_of, listed
from agents.geo.wording.texts import ROWS_OF
from agents.worded import Template

FIRST_ROWS = Template("tool_first_rows", "the first {rows}")
NO_SQL = Template("tool_no_sql", "Raw SQL is switched off on this server.")


class SqlTools(GeoTools):
    """The tool `run_sql`; a mixin of GeoAgent."""

    @tool(timeout=60)
    async def run_sql(self, statement: str) -> Result:
        """Run one read-only SELECT that you wrote, in PostGIS's SQL, where no other tool can answer.

        Only the user's tables can be read, by the ids and columns that describe_table gives. WITH, UNION, joins,
        subqueries, window functions and PostGIS's reading functions are allowed; a few hundred rows come back at most,
        so aggregate. Cast to geography for metres. The user sees the statement and its first rows.

        Args:
            statement: The SELECT. No semicolon, no parameters.
        """
        if self.sql is None:
            raise ToolFailed(NO_SQL())
        answer = await self.sql.run(statement)
        facts = {
            "sql": answer.sql,
            "columns": list(answer.columns),
            "rows": [list(row) for row in answer.rows],
            **(
                {"truncated": "there are more rows than these; aggregate, or narrow it"}
                if answer.truncated
                else {}
            ),
        }
        rows = count_of(len(answer.rows), "row")
        rows = FIRST_ROWS(rows=rows) if answer.truncated else rows
        tables = listed([table.rpartition(".")[2] for table in answer.tables])
        return Result(facts, data=answer, summary=ROWS_OF(rows=rows, table=tables) if tables else rows)
