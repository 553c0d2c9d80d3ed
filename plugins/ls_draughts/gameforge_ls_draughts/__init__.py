"""The experiment `ls-draughts`: the comparison of three players of 2009, the results of 2007, and variations."""
