"""Code that several commands share."""

JSON_HELP = "Print the result as JSON."
EXPORT_HELP = "File for a table with a row for each {}: .csv or .parquet."
