"""Nine Men's Morris for GameForge."""
