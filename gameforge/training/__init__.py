"""Training: runs, their folders and events, and the independent work that learners hand out."""
