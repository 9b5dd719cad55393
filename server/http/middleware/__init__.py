"""What HTTP requests pass: hosts, origins, rates, ids in addresses, tiles in memory, slow and disconnected clients."""
