"""Sample logs of every format and the demo session, packaged with the program."""
