"""What tools and answers say alike: counts, numbers, filters, styles, rows, positions and titles of charts as text."""
