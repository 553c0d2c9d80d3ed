"""Code that several commands share."""

JSON_HELP = "Print the result as JSON."
