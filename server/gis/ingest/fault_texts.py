"""Faults of a file that is being loaded, and what was done about them."""

from agents.worded import Template

LOAD_SECONDS = Template("file_load_seconds", "{file} takes longer to load than the {seconds} s allowed.")
READ_SECONDS = Template("file_read_seconds", "{file} takes longer to read than the {seconds} s allowed.")
UNUSABLE_ROWS = Template("file_unusable_rows", " {n|one=# row was|other=# rows were} not usable: {problems}.")
NO_ROWS = Template("file_no_rows", "{file} has no rows to load.{skipped}")
NO_ROOM = Template(
    "file_no_room", "{file} takes {size} MB in the database; {left} MB are left of what uploads may take."
)
NOT_READ = Template("file_not_read", "{file} could not be read.")
TABLE_TOO_LARGE = Template("file_table_too_large", "{file} becomes too large a table for a file of its size.")
READ_AS = Template("file_read_as", "Texts were read as {encoding}.")
NUL = Template("file_nul", "{n|one=# NUL character was|other=# NUL characters were} left out of texts.")
COLUMN_RENAMED = Template("file_column_renamed", "Column {old} is named {new}.")
BEING_READ = Template("file_being_read", "The table is being read. Try again in a moment.")
WITHOUT_GEOMETRY = Template("file_without_geometry", "{n|one=# row has|other=# rows have} no geometry.")
INVALID = Template(
    "file_invalid",
    "{n|one=# polygon is not valid (it crosses itself, for example), but is|"
    "other=# polygons are not valid (they cross themselves, for example), but are} drawn anyway.",
)
CUT = Template(
    "file_cut",
    "{n|one=# shape with too many vertices was|other=# shapes with too many vertices were} cut into {pieces} pieces, "
    "each in a separate row with the same values.",
)
UNCHECKED = Template(
    "file_unchecked",
    "{n|one=# polygon has|other=# polygons have} too many vertices to check whether "
    "{n|one=it is|other=they are} valid.",
)
DATABASE_SLOW = Template("file_database_slow", "The database takes too long to load this file.")
TABLE_EXISTS = Template(
    "file_table_exists", "There is a table {table} in {schema} already. Choose another name."
)
NO_SCHEMA = Template("file_no_schema", "There is no schema {schema}.")
NO_UTF8 = Template(
    "file_no_utf8", "A text of the file is not valid UTF-8. Save the file again with texts in UTF-8."
)
ROWS_REFUSED = Template("file_rows_refused", "PostgreSQL refused the rows: {why}.")
NO_DATABASE_SPACE = Template(
    "file_no_database_space",
    "The database has no disk space left, so the file was not loaded. Try again once the operator of "
    "the server has freed space.",
)
ROW_TOO_WIDE = Template(
    "file_row_too_wide",
    "A row of the file is too wide for a table: {why}; the file has {n} columns. Load it in parts with "
    "fewer columns, each with the key of the rows, and join them; or leave out columns.",
)
DATABASE_MEMORY = Template(
    "file_database_memory",
    "The database does not have enough memory for this file, or one of its rows is too large.",
)
NOT_LOADED = Template("file_not_loaded", "The file could not be loaded. The log of the server says why.")
