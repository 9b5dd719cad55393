"""What one visitor may do to the others: load, hostile input, slow clients, and a server or database that fails."""
