"""Experiments on the evolved players of Anaconda and of Kim and Cho, and a comparison with TD learning."""
