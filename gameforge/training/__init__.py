"""Training: runs, their folders and events, and the work that learners give away."""
