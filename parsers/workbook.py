"""Excel workbooks (``.xlsx``) read through polars, each sheet as CSV text."""

import csv
import io
import re

import polars as pl
from fastexcel import FastExcelError


class WorkbookError(ValueError):
    """A workbook that cannot be read."""


def sheets(data: bytes) -> list[tuple[str, str]]:
    """Name and CSV text of every sheet that holds anything; line numbers are row numbers."""
    try:
        frames = pl.read_excel(
            io.BytesIO(data),
            sheet_id=0,
            has_header=False,
            infer_schema_length=0,
            drop_empty_rows=False,
            drop_empty_cols=False,
            raise_if_empty=False,
            read_options={"skip_rows": 0},  # blank rows at the top count too
        )
    except (FastExcelError, pl.exceptions.PolarsError, ValueError) as e:
        raise WorkbookError(str(e).split("\n", 1)[0]) from None
    except BaseException as e:
        # A panic inside the reader's Rust code on a damaged workbook is no Exception.
        if type(e).__name__ != "PanicException":
            raise
        raise WorkbookError("damaged") from None
    out = []
    for title, frame in frames.items():
        if frame.height == 0:
            continue
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        for row in frame.iter_rows():
            writer.writerow(["" if v is None else _cell(str(v)) for v in row])
        if text.getvalue().strip(', \n"'):
            out.append((title, text.getvalue()))
    return out


def _cell(value: str) -> str:
    """A cell as a person wrote it: no ``.0``, no midnight after a date, no day before a time."""
    value = value.replace("\r\n", " ").replace("\n", " ").replace("\r", " ")
    if value.endswith(".0") and value[:-2].lstrip("-").isdigit():
        return value[:-2]
    # A time of day alone is kept by Excel as one of the day before its first.
    return re.sub(r"^1899-12-3[01] (?=\d\d:)", "", value).removesuffix(" 00:00:00")
