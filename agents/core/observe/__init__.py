"""Telemetry, tracing and the receipts of tool calls."""
