"""Traces each number of an answer to the tool result that it comes from, or marks it as unsupported.

`numerals` finds numbers in text of many languages, `evidence` collects the numbers in tool results, and
`linking` matches the two. Pure functions of texts and results, without a model or I/O."""
