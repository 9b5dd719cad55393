"""Remarks that people write around a request."""
