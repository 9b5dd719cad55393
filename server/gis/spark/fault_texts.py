"""What refusals and notes of Spark say."""

from agents.worded import Template

NOT_THERE = Template(
    "spark_not_there",
    "{what} does not run on Spark: {why}. Ask for it without “on Spark”: PostGIS can do it.",
)

PARTS = Template("spark_parts", "single and multi-part results are not ported")
NOT_PORTED = Template("spark_not_ported", "it is not ported")
GEOGRAPHY = Template("spark_geography", "it uses a function of geography that is not mapped")
ROW_ADDRESS = Template("spark_row_address", "it tells rows apart by where PostgreSQL stores them")
ARRAYS = Template("spark_arrays", "it uses arrays")
GRAMMAR = Template("spark_grammar", "it uses {name}, which is not known to mean the same there")
LATERAL = Template("spark_lateral", "it computes row by row with a lateral subquery")
CORRELATED = Template("spark_correlated", "it looks for rows with a correlated subquery")
STATEMENTS = Template("spark_statements", "it is made of several statements")
TEMPORARY = Template("spark_temporary", "it needs the temporary table {name}")
TYPE = Template("spark_type", "values of type {name} are not known there")
AGGREGATE = Template("spark_aggregate", "{name} is not known there")
FUNCTION = Template("spark_function", "there is no {name} with the same meaning there")
PLANAR = Template("spark_planar", "{name} in the plane is not mapped")
PROJECTION = Template("spark_projection", "it needs a projection that Sedona does not have")
FORMAT = Template("spark_format", "texts are put together by a format")
CENTROID = Template("spark_centroid", "Sedona has no centroid of a geography")
DISTANCES = Template("spark_distances", "distances of geographies are measured for points only")
DISTANCES_OF = Template(
    "spark_distances_of", "distances to the shapes of {table} are measured for points only"
)
DIMENSION = Template("spark_dimension", "it takes parts whose dimension is not known")
REPAIR = Template("spark_repair", "shapes are repaired by a method that Sedona does not have")
GEODESICS = Template("spark_geodesics", "corners along geodesics are not mapped")
LOGARITHM = Template("spark_logarithm", "logarithms to other bases are not mapped")
GEOMETRY = Template("spark_geometry", "a geometry is not written as a literal")
BYTES = Template("spark_bytes", "bytes are not written as a literal")
CELLS = Template("spark_cells", "the projection around these data is not ported")
EMPTY_CELLS = Template(
    "spark_empty_cells", "where all rows of a lake table lie on the plane is not known before they are read"
)
K_MEANS = Template("spark_k_means", "k-means begins with other centres there, which gives other clusters")
BORDERS = Template(
    "spark_borders", "borders that areas share must be simplified together, which Sedona does not offer"
)
ANTIMERIDIAN = Template(
    "spark_antimeridian", "shapes that reach the antimeridian are cut there, which Sedona does not do"
)

OTHER_CORNERS = Template(
    "spark_other_corners",
    "Areas around lines and areas cover the same places as those of PostGIS to less than a hundredth of the distance: "
    "JTS simplifies lines, areas and outlines more than GEOS does, by less than that.",
)
OTHER_ORDER = Template(
    "spark_other_order", "Clusters are numbered in another order than in PostGIS; their members are the same."
)
OTHER_REPAIR = Template(
    "spark_other_repair",
    "Faults are named and repaired by JTS, and not by GEOS as in PostGIS: where an outline crosses itself more than "
    "once, the parts may differ.",
)
GEODESIC_EDGES = Template(
    "spark_geodesic_edges",
    "Edges are measured along geodesics between their corners, also where they are straight in a projected system: "
    "with edges of 100 km, areas differ by about 0.003 % from those of PostGIS.",
)
TIES_NOT_COUNTED = Template(
    "spark_ties_not_counted",
    "Features with more neighbours at the same distance than were taken were not counted.",
)
OTHER_HASH = Template(
    "spark_other_hash",
    "Rows are chosen by another hash than in PostGIS: the same seed gives the same rows on Spark, and others there.",
)
IN_FILES = Template(
    "spark_in_files",
    "The result has {n} rows, more than the {most} that PostGIS holds of one: it stays in GeoParquet files, and the "
    "map shows a sample.",
)
OF_SAMPLE = Template("spark_of_sample", "Of the sample that PostGIS holds: {note}")
SOME_FILES = Template("spark_some_files", "{files} of {all_files} files with {rows} of {all_rows} rows")
READ_FROM_FILES = Template(
    "spark_read_from_files",
    "{table} was read from its Parquet files: {some}. In PostGIS is only a sample, which the SQL for PostGIS would "
    "read.",
)
COPIED = Template(
    "spark_copied",
    "Spark reads no files at addresses: {size} MB of {table} were copied for it, in addition to files "
    "from earlier steps.",
)
NOT_REPORTED = Template("spark_not_reported", "Spark did not report how many rows it read")
WORK_DONE = Template("spark_work_done", "{rows|one=# row|other=# rows} read, {size} MB shuffled")
SPILLED = Template("spark_spilled", ", {size} MB spilled to disk")
COMPUTED = Template(
    "spark_computed",
    "Computed by Apache Spark {version} with Apache Sedona {sedona}, in {n|one=# task|other=# tasks}: {work}.",
)

GONE = Template(
    "spark_gone",
    "Spark's driver went away, so nothing of the step is left. Try again once it is back, or without “on Spark”.",
)
UNREACHABLE = Template(
    "spark_unreachable", "Spark cannot be reached. Try again later, or without “on Spark”."
)
NEEDED = Template("spark_needed", "Someone needs Spark.")
TOO_SLOW = Template("spark_too_slow", "Spark took longer than {seconds} s, so it was stopped.")
FAILED = Template(
    "spark_failed", "Spark could not compute this step; the server's log says why. Try it without “on Spark”."
)
FOLDER = Template("spark_folder", "The folder GEOAGENT_SPARK_FOLDER cannot be written to: {why}.")
NO_FILES_NOW = Template("spark_no_files_now", "The files of {table} cannot be reached now.")
SLOW_COPY = Template("spark_slow_copy", "Copying the files of {table} took longer than {seconds} s.")
OVERFLOW = Template("spark_overflow", "A number becomes too large.")
BY_ZERO = Template("spark_by_zero", "Something is divided by zero.")
BAD_TEXT = Template("spark_bad_text", "A text is not a number, date or time.")
MEMORY = Template(
    "spark_memory", "Spark's memory was not enough. Filter the inputs first, or give the workers more."
)
LOST_WORK = Template(
    "spark_lost_work", "Spark lost the same work several times, mostly because memory was short."
)
UNSHARED = Template(
    "spark_unshared",
    "Spark does not see the folder GEOAGENT_SPARK_FOLDER under the same path as this server.",
)
UNWRITABLE = Template("spark_unwritable", "Spark may not write to the folder GEOAGENT_SPARK_FOLDER.")

BUFFER_ROW = Template(
    "spark_buffer_row", "A buffer has a distance that is not more than 0, or would reach a pole."
)
CUT_ROW = Template(
    "spark_cut_row", "A shape reaches the antimeridian, where it would have to be cut. Sedona cannot."
)
REFUSED_ROWS = {each.code: each for each in (BUFFER_ROW, CUT_ROW)}
"""Statements end with the code of one of these for a row that Spark must not compute."""
