"""Parquet tables that this program exported: their column ``phl`` as JSON Lines text."""

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq

COLUMN = "phl"
_ROWS = 10_000


class ParquetError(ValueError):
    """A Parquet file that cannot be read, or holds no hands."""


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def json_lines(data: bytes, room: int) -> bytes:
    """One JSON object with the field ``phl`` a row; line numbers are row numbers.

    Raises :class:`ParquetError` for a damaged file, for one without that column, and for one that
    comes to more than ``room`` bytes.
    """
    out = io.BytesIO()
    try:
        file = pq.ParquetFile(io.BytesIO(data))
        columns = file.schema_arrow
        if COLUMN not in columns.names or not _is_text(columns.field(COLUMN).type):
            shown = ", ".join(columns.names)[:100]
            raise ParquetError(
                f"a Parquet file with a column {COLUMN} of texts, as `export` writes it; "
                f"this one has {shown or 'no columns'}"
            )
        # A small file can hold a great many equal rows: it is read in pieces.
        for batch in file.iter_batches(_ROWS, columns=[COLUMN]):
            for text in batch.column(0).to_pylist():
                out.write(json.dumps({COLUMN: text}).encode() + b"\n")
            if out.tell() > room:
                raise ParquetError(f"it unpacks to more than {room} bytes")
    except ParquetError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as e:
        why = str(e).split("\n", 1)[0][:100]
        raise ParquetError(f"a Parquet file that can be read ({why})") from None
    return out.getvalue()
