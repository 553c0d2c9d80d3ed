"""The experiments of Anaconda's and of Kim and Cho's evolved players, and what is beyond them."""
