"""SQL written by models, made safe in independent layers; docs/sql.md describes them.

`grammar` limits what a SELECT may consist of, `names` the tables and columns, `functions` the functions, and
`session` what the database itself permits. `PostgisSql` applies them in order."""

from server.gis.sql.dialect import InvalidSql
from server.gis.sql.service import PostgisSql
from server.gis.sql.session import Limits
from server.gis.sql.statement import Statement, check_statement

__all__ = ["InvalidSql", "Limits", "PostgisSql", "Statement", "check_statement"]
