"""What every HTTP request passes: hosts and origins, ids in addresses, slow clients and clients that disconnected."""
