"""Reading a request: templates compiled to one grammar, and the chart parser that finds every reading."""
