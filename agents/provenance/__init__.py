"""Figures: the numbers of an answer, each traced to the result of a tool that it comes from, or marked as unfounded.

`numerals` finds numbers in a text as people of any language write them, `evidence` knows what the tools gave, and
`linking` brings the two together. Pure functions of texts and results: no model, no input or output.
"""
