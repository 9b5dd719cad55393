"""What earlier turns of a conversation tell the offline model: memories, past calls and follow-ups."""
