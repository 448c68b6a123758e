# Prints one byte for each character of a drawing: black, grey or white.
tr -d '\n' < "$1" | tr '.o#' '\000\200\377'
