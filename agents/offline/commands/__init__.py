"""What can be asked for: the templates of each command, and what a reading of them means."""
