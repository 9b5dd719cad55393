"""Raw SQL that a model wrote, made safe in layers each of which holds alone; docs/sql.md describes them.

`grammar` knows what a SELECT may consist of, `names` which tables and columns there are, `functions` what may be
called, and `session` what the database itself is told. `PostgisSql` puts them in order.
"""

from server.gis.sql.dialect import InvalidSql
from server.gis.sql.service import PostgisSql
from server.gis.sql.session import Limits
from server.gis.sql.statement import Statement, checked

__all__ = ["InvalidSql", "Limits", "PostgisSql", "Statement", "checked"]
