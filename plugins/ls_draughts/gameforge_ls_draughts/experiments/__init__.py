"""The experiment `ls-draughts`: the comparison of three players of 2009, the rows of 2007, and what lies beyond."""
