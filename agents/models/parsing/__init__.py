"""Tool calls in text that a model wrote: found while it streams, and read tolerantly."""
