"""Engine protocols: any player as an engine, and any engine as a player."""
