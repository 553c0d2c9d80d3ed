"""Code that several commands share."""

JSON_HELP = "Print the result as JSON."
EXPORT_HELP = "Table with a row for each {}, CSV or Parquet by the ending of the file: .csv or .parquet."
