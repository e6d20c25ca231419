"""Formats: what is read, and what is refused because it is cut off, odd, or asks for too much."""

import pytest

from backend.sources.formats import BadFormatError, Format, parse

BOMB = (
    '<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;&x;&x;&x;&x;&x;&x;">]><rss><channel>&y;'
    "</channel></rss>"
)
OUTSIDE = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "json"),
        ('{"a": ', "json"),
        ("[" * 5000, "json"),
        ('{"a": NaN}', "json"),
        ("a,b\n1", "csv"),
        ("a,b\n1,2,3\n", "csv"),
        ('a,b\n"1,2\n', "csv"),
        ("<rss><channel>", "rss"),
        ("<html><body>busy</body></html>", "rss"),
        ("<rss></rss>", "rss"),
        (BOMB, "rss"),
        (OUTSIDE, "xml"),
        ("<a>" * 100, "xml"),
        ("plain words", "xml"),
    ],
)
def test_refused(text: str, kind: Format) -> None:
    with pytest.raises(BadFormatError):
        parse(text, kind)


def test_csv() -> None:
    text = 'a, b ,a,\r\n"x,\n""y""",2,3,\r\n\r\n1,2,3,4\r\n'
    assert parse(text, "csv") == {
        "rows": [
            {"a": 'x,\n"y"', "b": "2", "a_2": "3", "column_4": ""},
            {"a": "1", "b": "2", "a_2": "3", "column_4": "4"},
        ]
    }
    assert parse("a;b\n1;2\n", "csv", ";") == {"rows": [{"a": "1", "b": "2"}]}


def test_feeds_of_three_kinds() -> None:
    item = "<title>A &amp;amp; B</title><description>&lt;p&gt;x&lt;/p&gt;y</description>"
    rss = f"<rss><channel><title>T</title><item>{item}</item></channel></rss>"
    assert parse(rss, "rss") == {
        "title": "T",
        "items": [{"title": "A &amp; B", "description": "x y"}],
    }
    rdf = (
        '<rdf:RDF xmlns:rdf="r" xmlns="s"><channel><title>T</title></channel>'
        f"<item>{item}</item></rdf:RDF>"
    )
    assert parse(rdf, "rss")["items"][0]["description"] == "x y"
    atom = (
        '<feed xmlns="a"><title>T</title><entry><title>E</title><link href="http://a.test/"/>'
        "<updated>2031-01-01T00:00:00Z</updated></entry></feed>"
    )
    assert parse(atom, "rss")["items"] == [
        {"title": "E", "link": "http://a.test/", "updated": "2031-01-01T00:00:00Z"}
    ]


def test_xml() -> None:
    text = '<a><b id="1">x</b><b>y</b><c/></a>'
    assert parse(text, "xml") == {"a": {"b": [{"@id": "1", "#text": "x"}, "y"], "c": ""}}
