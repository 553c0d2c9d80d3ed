"""Examples: states with what a search, or the end of the game, said of them. Learners read them from folders."""
