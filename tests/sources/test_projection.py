"""What the configured sources say about responses of their shape, with the traps of the real ones."""

from typing import Any

import pytest

from backend.results.values import fits
from backend.sources.choosing import SourceError
from backend.sources.projection import Projection, fill_arguments, project
from backend.sources.queries import get_configured, list_configured
from tests.sources import doubles


def ask(name: str, raw: bytes, **arguments: Any) -> Projection:
    source = get_configured(name)
    return project(source, raw, fill_arguments(source, arguments))


def refuse(name: str, raw: bytes, **arguments: Any) -> SourceError:
    with pytest.raises(SourceError) as caught:
        ask(name, raw, **arguments)
    return caught.value


def test_six_sources_come_configured() -> None:
    assert [source.name for source in list_configured()] == [
        "hk_air_quality",
        "hk_border_crossings",
        "hk_news",
        "hk_public_holidays",
        "hk_weather_now",
        "hk_weather_warnings",
    ]
    assert all(source.question.endswith("?") for source in list_configured())


def test_warnings_in_force() -> None:
    raw = doubles.dump(
        {
            "WTS": doubles.warning("WTS", "EXTEND", expireTime="2031-09-08T05:00:00+08:00"),
            "WTCSGNL": doubles.warning("TC8SE", type="No. 8 Signal"),
            "WHOT": doubles.warning("WHOT", "CANCEL"),
        }
    )
    found = ask("hk_weather_warnings", raw)
    assert [row["code"] for row in found.answer["in_force"]] == ["WTS", "TC8SE"]
    assert found.answer["in_force"][0]["type"] is None
    assert found.kept is not None
    assert (found.kept["rows"], found.kept["of"]) == (2, 3)
    assert "updated" in found.left_out


def test_a_small_response_comes_as_it_came() -> None:
    assert ask("hk_weather_warnings", b"{}").as_sent("res_1") == {}
    cancelled = {"WTCSGNL": doubles.warning("CANCEL", "CANCEL")}
    assert ask("hk_weather_warnings", doubles.dump(cancelled)).as_sent() == cancelled
    assert refuse("hk_weather_warnings", b'{"error": "quota"}').code == "SOURCE_CHANGED"


def test_air_quality_reads_the_text_of_the_items() -> None:
    found = ask("hk_air_quality", doubles.AIR)
    assert found.answer["stations"] == {
        "North": {"aqhi": 3, "risk": "Low"},
        "Tap Mun": {"aqhi": "10+", "risk": "Serious"},
        "Central": {"aqhi": 10, "risk": "Very High"},
        "Tai Po": {"aqhi": None, "risk": None},
        "Mong Kok": {"aqhi": None, "risk": None},
    }
    some = ask("hk_air_quality", doubles.AIR, stations=["tap mun", "Mars"])
    assert list(some.answer["stations"]) == ["Tap Mun"]
    assert some.answer["not_found"] == ["Mars"]
    assert some.kept == {
        "from": "2031-09-07T19:30:00+08:00",
        "to": "2031-09-07T19:30:00+08:00",
        "rows": 1,
        "of": 5,
    }
    nobody = refuse("hk_air_quality", doubles.AIR, stations=["Norht"])
    assert (nobody.code, nobody.allowed[0]) == ("NOT_COVERED", "North")


@pytest.mark.parametrize("text", ["North: 3", "North - General Stations: three - now", ""])
def test_air_quality_of_another_form_is_refused(text: str) -> None:
    raw = doubles.AIR.replace(b"</channel>", doubles.station(text).encode() + b"</channel>")
    assert refuse("hk_air_quality", raw).code == "SOURCE_CHANGED"


def test_weather_now() -> None:
    by_day = ask("hk_weather_now", doubles.weather(pad="x" * 400)).answer
    assert by_day["temperature"] == {"place": "Hong Kong Observatory", "value": 28}
    assert (by_day["uv_index"], by_day["humidity"], str(by_day["rain_mm"])) == (6, 79, "4.5")
    assert by_day["warnings"] == ["The Very Hot Weather Warning is in force."]
    night = ask("hk_weather_now", doubles.weather(uvindex="", warningMessage="", pad="x" * 400))
    assert (night.answer["uv_index"], night.answer["warnings"]) == (None, [])
    assert "icon" in night.left_out
    elsewhere = ask("hk_weather_now", doubles.weather(pad="x" * 400), place="TAI PO").answer
    assert elsewhere["temperature"]["value"] == 29


def test_weather_of_another_shape_is_refused() -> None:
    shapes: list[dict[str, Any]] = [
        {"uvindex": 6},
        {"temperature": {"data": []}},
        {"humidity": "79"},
    ]
    for changes in shapes:
        assert refuse("hk_weather_now", doubles.weather(**changes)).code == "SOURCE_CHANGED"


def test_holidays() -> None:
    found = ask("hk_public_holidays", doubles.CALENDAR, date="2031-01-25")
    assert found.answer == {"holidays": [{"date": "2031-01-23", "name": "Spring Festival"}]}
    none = ask("hk_public_holidays", doubles.CALENDAR, date="2031-01-26")
    assert none.answer == {"holidays": []}
    assert none.kept == {"from": None, "to": None, "rows": 0, "of": 3}
    beyond = refuse("hk_public_holidays", doubles.CALENDAR, date="2033-01-01")
    assert beyond.code == "NOT_COVERED"
    assert "2031-01-01 to 2032-12-25" in beyond.message


def test_news_on_a_topic() -> None:
    special = {
        7: ("Rain &amp; shine", "of the <b>ra</b>inbow"),
        50: ("", "MTR (train) service"),
        60: ("香港天氣：暴雨", ""),
    }
    found = ask("hk_news", doubles.news(special), topic="RAIN")
    assert found.answer["news"] == [
        {"published": "2031-08-28T16:15:00+08:00", "title": "Rain & shine"}
    ]
    assert found.kept is not None
    assert found.kept["of"] == 100
    assert "link" in found.left_out
    assert "words" not in found.left_out
    assert "steal" not in str(found.stored)
    assert "rainbow" in found.stored[7]["text"]
    chinese = ask("hk_news", doubles.news(special), topic="暴雨")
    assert chinese.answer["news"][0]["title"] == "香港天氣：暴雨"
    assert ask("hk_news", doubles.news(), topic="Atlantis").answer["news"] == []


def test_news_are_the_newest_and_say_how_many_more() -> None:
    found = ask("hk_news", doubles.news(), topic="release", limit=3)
    titles = [item["title"] for item in found.answer["news"]]
    assert titles == ["Release 0", "Release 1", "Release 2"]
    assert found.shown == {"news": {"rows": 3, "of": 100}}


def test_border_crossings() -> None:
    raw = doubles.traffic(["30-12-2030", "02-01-2031", "01-02-2031"])
    found = ask("hk_border_crossings", raw, date="2031-01-02")
    assert found.answer == {
        "largest": {
            "Macao Ferry Terminal": 1000,
            "Man Kam To": 800,
            "Shenzhen Bay": 600,
            "Lok Ma Chau": 400,
        },
        "total": 3000,
    }
    assert found.kept == {"from": "2031-01-02", "to": "2031-01-02", "rows": 12, "of": 36}
    assert found.shown == {"largest": {"rows": 4, "of": 6}}
    assert found.left_out == ("direction", "residents", "mainland", "others", "column_8")
    assert found.stored[0] == {
        "date": "2030-12-30",
        "control_point": "Airport",
        "direction": "Arrival",
        "residents": 0,
        "mainland": 0,
        "others": 0,
        "passengers": 0,
        "column_8": "",
    }
    before = ask("hk_border_crossings", raw, date="2030-12-30").answer
    assert before["largest"]["Macao Ferry Terminal"] == 1000


def test_border_crossings_are_refused_rather_than_counted_wrong() -> None:
    whole = doubles.traffic(["01-01-2031", "02-01-2031", "04-01-2031"])
    for date in ("2031-01-05", "2030-12-31", "2031-01-03"):
        assert refuse("hk_border_crossings", whole, date=date).code == "NOT_COVERED"
    cut_off = whole[:-12]
    renamed = whole.replace(b"Total", b"Sum")
    other_dates = whole.replace(b"04-01-2031", b"2031/1/4")
    no_number = whole.replace(b",500,", b",n/a,")
    headless = doubles.HEADER.encode()
    for raw in (cut_off, renamed, other_dates, no_number, headless, b"<html>busy</html>", b""):
        found = refuse("hk_border_crossings", raw, date="2031-01-02")
        assert found.code == "SOURCE_CHANGED", raw[:40]


def test_answers_stay_small() -> None:
    days = [f"{day:02}-01-2031" for day in range(1, 29)]
    found = ask("hk_border_crossings", doubles.traffic(days), date="2031-01-02")
    assert fits(found.as_sent("res_" + "0" * 26), 200)


def test_what_no_text_may_hold_goes() -> None:
    raw = doubles.weather(warningMessage=["a\x00b\ud800c"])
    assert ask("hk_weather_now", raw).answer["warnings"] == ["a\ufffdb\ufffdc"]
