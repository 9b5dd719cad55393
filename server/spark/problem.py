"""Why Spark cannot be installed or started, as a message for the user at the terminal."""


class SparkProblem(Exception):
    """Its text names the fault and the remedy."""
