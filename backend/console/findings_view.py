"""Findings in the page's language, each with the address of the preview that it suggests."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from backend.catalogue.tables import City
from backend.console.render import translate
from backend.console.texts import TEXTS
from backend.text import Locale

_SHARES = ("share", "has_more_share", "repeat_share", "empty_share")


def list_findings(
    findings: list[dict[str, Any]], cities: Mapping[str, City], locale: Locale
) -> list[dict[str, Any]]:
    """What is wrong in words with its numbers; `href` is None where no knob would change it."""
    return [
        {**finding, "text": _word(finding, cities, locale), "href": _link(finding)}
        for finding in findings
    ]


def _word(finding: Mapping[str, Any], cities: Mapping[str, City], locale: Locale) -> str:
    values = {**finding["evidence"]}
    values |= {key: f"{values[key] or 0:.0%}" for key in _SHARES if key in values}
    if city := cities.get(values.get("city", "")):
        values["city"] = city.name if locale == "zh-CN" else city.name_en
    if "reason" in values:
        values["reason"] = translate(locale, f"reason.{values['reason']}")
        values["tier"] = translate(locale, f"tier.{values['tier']}")
    key = f"finding.{finding['code']}"
    return translate(locale, key, **values) if key in TEXTS else str(finding["message"])


def _link(finding: Mapping[str, Any]) -> str | None:
    """A page that tries the value on one of the runs that show it."""
    kind, name = ("params", finding["param"]) if finding["param"] else ("tools", finding["tool"])
    if name is None:
        return None
    query = {"value": finding["value"], "run": finding["run_id"]}
    filled = urlencode({key: value for key, value in query.items() if value is not None})
    return f"/console/tune/preview/{kind}/{quote(name)}?{filled}"
