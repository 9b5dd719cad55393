"""What the operations share: arguments, geodesy, projections, columns and matching."""
