"""The draughts family: international, Russian, Brazilian, Italian, Frisian, Turkish draughts and more."""
