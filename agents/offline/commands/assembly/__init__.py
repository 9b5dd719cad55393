"""Questions about one table, assembled from pieces in any order."""
