"""PettingZoo and Gymnasium: games as environments, and policies as players."""
