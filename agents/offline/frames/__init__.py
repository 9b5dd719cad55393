"""What people write around a request: remarks, labels, topics, and things they were told."""
