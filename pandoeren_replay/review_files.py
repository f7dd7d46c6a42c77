"""Fair reviews in a file of their own: judged once, taken over by any store with the same hands.

The file is Parquet, a row as in the table ``review``, with the content hash of the hand instead of
its number, which is another in every store.
"""

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pandoeren_replay.filters import condition
from pandoeren_replay.reviewed import REVIEW_VERSION, Found, Row, write
from pandoeren_replay.store import Store

if TYPE_CHECKING:
    import polars as pl

_FIELDS = tuple(f for f in Row._fields if f != "hand_id")


def write_reviews(store: Store, where: str, file: Path) -> int:
    """Write the reviews that a store holds of some hands; returns of how many hands."""
    sql, params = condition(where, store)
    rows = store.sql(
        f"SELECT b.hash, {', '.join('r.' + f for f in _FIELDS)}, r.version FROM review r "
        "JOIN hand b ON b.hand_id = r.hand_id JOIN hands h ON h.hand_id = r.hand_id "
        f"WHERE r.version = ? AND {sql} ORDER BY b.hand_id, r.ply NULLS FIRST",
        [REVIEW_VERSION, *params],
    )
    rows.write_parquet(file, compression="zstd", compression_level=19)
    return rows["hash"].n_unique()


def read_reviews(file: Path | BinaryIO) -> "pl.DataFrame":
    """The rows of such a file, as they are."""
    import polars as pl

    return pl.read_parquet(file)


def take_over(store: Store, reviews: "pl.DataFrame") -> int:
    """Keep the reviews of hands that are in the store and not reviewed there yet.

    Reviews by another version of the method are left out. Returns of how many hands.
    """
    import polars as pl

    fitting = reviews.filter(pl.col("version") == REVIEW_VERSION)
    wanted = store.sql(
        "SELECT hand_id, hash FROM hand WHERE hash IN (SELECT unnest(?::UBIGINT[])) "
        "AND hand_id NOT IN (SELECT hand_id FROM review WHERE version = ?)",
        [fitting["hash"].unique().to_list(), REVIEW_VERSION],
    )
    found = []
    for number, content in wanted.iter_rows():
        rows = fitting.filter(pl.col("hash") == content).select(_FIELDS)
        kept = tuple(Row(number, **r) for r in rows.iter_rows(named=True))
        found.append(Found(number, content, kept))
    if found:
        write(store, found)
    return len(found)


__all__ = ["read_reviews", "take_over", "write_reviews"]
