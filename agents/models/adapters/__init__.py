"""One adapter a calling type: from neutral messages to a provider's API and back."""
