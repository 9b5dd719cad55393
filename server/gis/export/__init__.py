"""Layers as files."""
