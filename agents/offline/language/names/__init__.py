"""Which tables' and columns' names and comments words mean."""
