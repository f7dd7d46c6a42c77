"""ISS-style SGF with ``GM[Pandoeren]``, read and written."""

from parsers.iss_read import IssParser
from parsers.iss_write import write_sgf, write_sgf_file

__all__ = ["IssParser", "write_sgf", "write_sgf_file"]
