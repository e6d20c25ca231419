"""Made-up instances in the public formats."""

from pathlib import Path


def write_solomon(path: Path, rows: int = 12, horizon: int = 200) -> None:
    """Vansteenwegen's form: two heads, then position, service, profit, two lists, window."""
    lines = ["4 10 12 1", "0 200", f"  0 40.00 50.00 0.00 0.00 0 0 0 {horizon}"]
    for k in range(1, rows + 1):
        x, y, opens = 40 + (17 * k) % 23, 50 + (29 * k) % 31, (k * 37) % 100
        lines.append(f"  {k} {x}.00 {y}.00 10.00 {5 + k}.00 1 1 1 {opens} {opens + 60}")
    path.write_text("\n".join(lines) + "\n\n")


def write_trip(path: Path, rows: int = 8, start_day: int = 5) -> None:
    """A tourist trip: place k is closed on weekday k mod 7."""
    lines = [f"20 2 {start_day} {rows + 1} 9 250 10 10", "0 43 78 0 0 510 1210"]
    for k in range(1, rows + 1):
        week = " ".join("0 0" if day == k % 7 else "540 990" for day in range(7))
        lines.append(f"{k} {40 + k}.5 {70 + k}.25 30 {10 + k} 3 {week} {k}")
    path.write_text("\n".join(lines))
