"""Maps: the event log and what is read from it (layers, undo, conversation), turns, and the news of both."""
