"""How a request is read: templates compiled to one grammar, and the chart that finds every reading of the words."""
