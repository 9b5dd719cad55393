"""Conditions on rows in words: values, comparisons, facts of shapes, and what joins them."""
