"""Conditions on rows: values, comparisons, geometry checks, and how they are joined."""
