"""Tools: how one is declared, described to a model, checked and collected."""
