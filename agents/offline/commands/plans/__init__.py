"""Plans: from what a command means to the calls of its next step."""
