"""DuckDB and Polars at the same questions; they come with the extra `dev`, the product has neither."""

import importlib
import importlib.util
from decimal import Decimal
from pathlib import Path
from typing import Any

from backend.bench.results import Rival

_TYPES = {
    "order_id": "VARCHAR",
    "customer": "VARCHAR",
    "status": "VARCHAR",
    "amount": "DECIMAL(12,2)",
    "city": "VARCHAR",
    "nights": "INTEGER",
    "created_at": "TIMESTAMP",
}
_TEXTS = ("order_id", "customer")
_CHOICES = ("status", "city")


class DuckDb:
    """DuckDB in memory, amounts as decimals."""

    def __init__(self) -> None:
        self._connection = importlib.import_module("duckdb").connect()

    def load(self, path: Path) -> None:
        """Read the JSON."""
        self._connection.execute(
            "create table orders as select * from read_json($path, columns = $types)",
            {"path": str(path), "types": _TYPES},
        )

    def summarize(self) -> Any:
        """What a summary says of all seven columns."""
        numbers = ", ".join(f"min({c}), max({c}), sum({c}), avg({c})" for c in ("amount", "nights"))
        texts = ", ".join(f"min(length({c})), max(length({c}))" for c in _TEXTS)
        ends = "min(created_at), max(created_at)"
        found = [self._fetch(f"select count(*), {numbers}, {texts}, {ends} from orders")]
        for name in _CHOICES:
            counts = f"select {name}, count(*) from orders group by 1 order by 2 desc, 1"
            found.append(self._fetch(counts))
        return found

    def filter(self, least: str) -> list[str]:
        """Ids of the paid orders of at least this amount."""
        rows = self._fetch(
            "select order_id from orders where status = 'paid' and amount >= $least::decimal(12,2)",
            {"least": least},
        )
        return [row[0] for row in rows]

    def group(self) -> list[tuple[str, int, Decimal]]:
        """Count and sum by city."""
        return self._fetch("select city, count(*), sum(amount) from orders group by 1 order by 1")

    def _fetch(self, statement: str, values: dict[str, Any] | None = None) -> list[Any]:
        rows = self._connection.execute(statement, values or {}).fetchall()
        assert isinstance(rows, list)
        return rows


class Polars:
    """Polars in memory, amounts as decimals."""

    def __init__(self) -> None:
        self._polars: Any = importlib.import_module("polars")
        self._frame: Any = None

    def load(self, path: Path) -> None:
        """Read the JSON."""
        pl = self._polars
        frame = pl.read_json(path)
        amount = pl.col("amount").cast(pl.Decimal(12, 2))
        self._frame = frame.with_columns(amount, pl.col("created_at").str.to_datetime())

    def summarize(self) -> Any:
        """What a summary says of all seven columns."""
        pl = self._polars
        wanted = [pl.len()]
        for name in ("amount", "nights"):
            column = pl.col(name)
            figures = {"min": column.min(), "max": column.max(), "sum": column.sum()}
            wanted += [value.alias(f"{name}_{op}") for op, value in figures.items()]
        for name in _TEXTS:
            length = pl.col(name).str.len_chars()
            wanted += [length.min().alias(f"{name}_min"), length.max().alias(f"{name}_max")]
        dates = pl.col("created_at")
        wanted += [dates.min().alias("first"), dates.max().alias("last")]
        counts = [self._frame[name].value_counts(sort=True) for name in _CHOICES]
        return [self._frame.select(wanted), *counts]

    def filter(self, least: str) -> list[str]:
        """Ids of the paid orders of at least this amount."""
        pl = self._polars
        wanted = (pl.col("status") == "paid") & (pl.col("amount") >= Decimal(least))
        found = self._frame.filter(wanted)["order_id"].to_list()
        assert isinstance(found, list)
        return found

    def group(self) -> list[tuple[str, int, Decimal]]:
        """Count and sum by city."""
        pl = self._polars
        figures = self._frame.group_by("city").agg(pl.len(), pl.col("amount").sum()).sort("city")
        rows = figures.rows()
        assert isinstance(rows, list)
        return rows


_ENGINES: dict[str, type[DuckDb | Polars]] = {"duckdb": DuckDb, "polars": Polars}


def make_rival(name: str) -> Rival | None:
    """The engine of that name; None where it is not installed."""
    return _ENGINES[name]() if importlib.util.find_spec(name) is not None else None
