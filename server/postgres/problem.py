"""Why GeoAgent cannot use its database, as a message for the user at the terminal. Shown without a traceback."""


class DatabaseProblem(Exception):
    """There is no usable PostGIS. The message says why and what to do."""
