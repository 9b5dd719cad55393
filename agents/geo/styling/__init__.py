"""How layers are drawn: the named colours and colour ramps, and the style that a model asks for."""
