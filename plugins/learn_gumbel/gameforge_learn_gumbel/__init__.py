"""The learner `gumbel`: policy and value from self-play with tree search."""
