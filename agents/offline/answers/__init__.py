"""What is said of the results, and what could be said next."""
