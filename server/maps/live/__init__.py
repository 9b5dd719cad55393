"""Live delivery: who follows a map, and how events and presence reach them."""
