"""Examples for learners: states with their values, from searches or from the results of games, kept in folders."""
