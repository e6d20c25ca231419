"""The files that a plan can be had as, in one visible tuple."""

from collections.abc import Callable
from dataclasses import dataclass

from backend.planner.exports.calendar import write_calendar
from backend.planner.exports.delivered import Delivered
from backend.planner.exports.geojson import write_map
from backend.planner.exports.markdown import write_markdown


@dataclass(frozen=True)
class Format:
    """`name` is the last part of its address, `option` what the command line calls it."""

    name: str
    option: str
    media_type: str
    summary: str
    write: Callable[[Delivered], str]

    @property
    def suffix(self) -> str:
        """Of a file of this format."""
        return self.name.rpartition(".")[2]


FORMATS: tuple[Format, ...] = (
    Format(
        "calendar.ics", "ics", "text/calendar", "The plan as a calendar (RFC 5545)", write_calendar
    ),
    Format(
        "map.geojson", "geojson", "application/geo+json", "The plan as a map (RFC 7946)", write_map
    ),
    Format(
        "itinerary.md",
        "markdown",
        "text/markdown",
        "The plan to be read (Markdown)",
        write_markdown,
    ),
)
