"""Turns exceptions that the user can act on into one sentence."""

from __future__ import annotations

import errno
import socket


def explain(error: BaseException) -> str | None:
    """The sentence to print; None for a bug, whose traceback is then shown."""
    from pydantic import ValidationError

    from agents.core.errors import ToolSignal, faults_in
    from agents.core.model import ModelError
    from server.cli.chat import NoServer
    from server.cli.pages import PageError
    from server.database.engines import is_unavailable
    from server.evaluation.cases import BadCases
    from server.extensions import BadExtension
    from server.postgres import DatabaseProblem
    from server.spark.problem import SparkProblem

    if isinstance(
        error, DatabaseProblem | SparkProblem | ModelError | NoServer | PageError | BadCases | BadExtension
    ):
        return str(error)
    if isinstance(error, ToolSignal):
        return error.message
    if isinstance(error, ValidationError) and error.title == "Settings":
        return f"A setting is invalid: {faults_in('settings', error)}."
    if isinstance(error, OSError) and error.filename:
        return f"{error.strerror}: {error.filename}"
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return "The port is in use. Choose another one with --port or PORT, or 0 for a free one."
    if isinstance(error, OSError) and error.errno in (errno.EADDRNOTAVAIL, errno.EACCES):
        return f"The server cannot listen there: {error.strerror}. See --host and --port."
    if isinstance(error, socket.gaierror):  # that of a database is a DatabaseProblem
        return f"The server cannot listen there: {error.strerror}. See --host and HOST."
    if is_unavailable(error):
        return "The database cannot be reached. Check DATABASE_URL, and that PostgreSQL is running."
    return None
