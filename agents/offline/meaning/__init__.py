"""What the words mean in the data: intents, and the columns, values, places and units that they refer to."""
