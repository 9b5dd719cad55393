"""What the offline model takes from earlier turns: memories, past calls and follow-ups."""
