"""`/healthz` and `/readyz`, and the process that answers `/healthz` while the server is busy."""
