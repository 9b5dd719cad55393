"""Layers of a map: the actions on them and how a table becomes one."""
