"""One module for each command: arguments in, a call of the library, a table or JSON out."""
