"""Questions about facts of rows."""
