"""Questions about one table whose pieces may stand in any order."""
