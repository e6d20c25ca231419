"""`waypool import csv`: idempotent, all or nothing, every bad line named."""

import os
from pathlib import Path

import psycopg
import pytest

from tests.cli.conftest import Waypool

pytestmark = pytest.mark.sql

CASES = Path(__file__).parents[1] / "pool" / "cases"
CITIES = "id,name,name_en,country,lat,lon,timezone\na,甲,A,CN,30,110,Asia/Shanghai\n"
POI_HEADER = (
    "id,city,name,name_en,type,area,price,currency,duration_min,popularity,tags,lat,lon,"
    "opening_hours,last_entry,closed_season,intro,enabled,source\n"
)


def poi(
    poi_id: str = "p1",
    city: str = "a",
    price: str = "10",
    currency: str = "CNY",
    tags: str = "museum",
    lat: str = "30",
    hours: str = "",
    season: str = "",
    source: str = "authored",
) -> str:
    return (
        f"{poi_id},{city},名,Name,museum,区,{price},{currency},60,50,{tags},{lat},110,"
        f"{hours},,{season},intro,true,{source}\n"
    )


PART_HEADER = POI_HEADER.replace(
    "\n",
    ",part_of,best_time,halls_hours,reach_mode,reach_minutes,reach_fare,wheelchair,cuisine\n",
)


def part(
    poi_id: str = "p1",
    part_of: str = "",
    best_time: str = "",
    halls_hours: str = "",
    reach_mode: str = "",
    reach_minutes: str = "",
    reach_fare: str = "",
    wheelchair: str = "",
    cuisine: str = "",
    city: str = "a",
) -> str:
    """A line under `PART_HEADER`; the mark at its end tells the test which header it needs."""
    cells = (
        part_of, best_time, halls_hours, reach_mode, reach_minutes, reach_fare, wheelchair, cuisine,
    )  # fmt: skip
    return poi(poi_id, city).rstrip("\n") + "," + ",".join(cells) + "#\n"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return folder


def test_the_same_folder_twice_changes_nothing(waypool: Waypool) -> None:
    first = waypool("import", "csv", CASES / "pool-1" / "catalogue", "--json")
    again = waypool("import", "csv", CASES / "pool-1" / "catalogue", "--json")
    assert (first.status, first.json["added"]) == (0, 4 + 12 + 515 + 10 + 290)
    assert (again.json["added"], again.json["changed"], again.json["unchanged"]) == (0, 0, 819)
    assert again.json["version"] == first.json["version"] == 1


def test_a_changed_cell_raises_the_version_and_is_counted(waypool: Waypool, tmp_path: Path) -> None:
    write(tmp_path, "cities.csv", CITIES)
    write(tmp_path, "pois.csv", POI_HEADER + poi(price="10") + poi("p2"))
    assert waypool("import", "csv", tmp_path, "--json").json["version"] == 1
    write(tmp_path, "pois.csv", POI_HEADER + poi(price="12.5"))
    report = waypool("import", "csv", tmp_path, "--json").json
    assert report["files"]["pois"] == {"added": 0, "changed": 1, "unchanged": 0, "refused": 0}
    assert report["version"] == 2
    assert waypool("db", "status", "--json").json["rows"]["pois"] == 2  # p2 is not named and stays


def test_a_file_may_be_a_folder_of_files(waypool: Waypool, tmp_path: Path) -> None:
    write(tmp_path, "cities.csv", "\ufeff" + CITIES)
    write(tmp_path, "pois/one.csv", POI_HEADER + poi("p1"))
    write(tmp_path, "pois/two.csv", POI_HEADER + poi("p2"))
    assert waypool("import", "csv", tmp_path, "--json").json["files"]["pois"]["added"] == 2


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (poi(city="b"), "city: no city 'b'"),
        (poi(price="ten"), "price:"),
        (poi(price="-1"), "price:"),
        (poi(price="1.005"), "price:"),
        (poi(price="NaN"), "price:"),
        (poi(currency="EUR"), "currency: EUR in a catalogue in CNY"),
        (poi(lat="91"), "lat:"),
        (poi(hours="Mo 99"), "opening_hours: is not OpenStreetMap opening hours"),
        (poi(season="02-30/03-01"), "closed_season:"),
        (poi(source="guessed"), "source: must be authored"),
        (poi("p 1"), "id:"),
        (poi("p\a1"), "id: holds a control character"),
        (poi().replace("名", "名\x1b[2J"), "name: holds a control character"),
        (poi().replace("区", '"区\n区"'), "area: holds a control character"),
        (poi().replace(",true,", ",perhaps,"), "enabled: must be true or false"),
        ("p1,a,too few\n", "has 3 cells under a header of 19"),
        (poi() + poi(), "id: 'p1' stands already in pois.csv:2"),
        (part("p1", "p9"), "part_of: no place 'p9'"),
        (part("p1", "p1"), "part_of: makes a circle: p1 > p1"),
        (part("p1", "p2") + part("p2", "p1"), "part_of: makes a circle: p2 > p1 > p2"),
        (part(best_time="noon"), "best_time:"),
        (part(halls_hours="Mo 99"), "halls_hours: is not OpenStreetMap opening hours"),
        (part(reach_mode="rocket", reach_minutes="9"), "reach_mode:"),
        (part(reach_mode="ferry"), "reach_minutes: is missing beside reach_mode ferry"),
        (part(reach_fare="5"), "reach_mode: is missing beside reach_minutes or reach_fare"),
        (part(wheelchair="perhaps"), "wheelchair:"),
    ],
)
def test_one_bad_line_and_nothing_is_written(
    waypool: Waypool, tmp_path: Path, line: str, named: str
) -> None:
    write(tmp_path, "cities.csv", CITIES)
    header = PART_HEADER if line.endswith("#\n") else POI_HEADER
    write(tmp_path, "pois.csv", header + line.replace("#", ""))
    refused = waypool("import", "csv", tmp_path, "--json")
    assert refused.status == 1
    assert named in refused.err
    assert "pois.csv:" in refused.err
    assert refused.json["error"]["code"] == "IMPORT_REFUSED"
    assert waypool("db", "status", "--json").json["rows"]["cities"] == 0


def test_every_bad_line_of_every_file_is_named(waypool: Waypool, tmp_path: Path) -> None:
    write(tmp_path, "cities.csv", CITIES.replace("Asia/Shanghai", "Asia/Nowhere"))
    write(tmp_path, "pois.csv", POI_HEADER + poi(price="x") + poi("p2") + poi("p3", lat="x"))
    err = waypool("import", "csv", tmp_path).err
    assert "cities.csv:2: timezone" in err
    assert "pois.csv:2: price" in err
    assert "pois.csv:4: lat" in err


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "has no header"),
        ("id,city\n", "lacks the column 'name'"),
        (POI_HEADER.replace("source", "souce"), "unknown column 'souce'; near: source"),
        (POI_HEADER.replace("source", "source,source"), "names the column 'source' twice"),
        (POI_HEADER + '"p1', "is not CSV"),
    ],
)
def test_a_wrong_file_is_named(waypool: Waypool, tmp_path: Path, text: str, named: str) -> None:
    write(tmp_path, "pois.csv", text)
    refused = waypool("import", "csv", tmp_path)
    assert refused.status == 1
    assert named in refused.err


def test_another_encoding_is_named(waypool: Waypool, tmp_path: Path) -> None:
    (tmp_path / "pois.csv").write_bytes((POI_HEADER + poi()).encode("gb18030"))
    assert "is not UTF-8" in waypool("import", "csv", tmp_path).err


def test_what_has_a_file_s_name_and_cannot_be_read_is_named(
    waypool: Waypool, tmp_path: Path
) -> None:
    write(tmp_path, "cities.csv", CITIES)
    (tmp_path / "hotels.csv").mkdir()
    (tmp_path / "pois").mkdir()
    os.mkfifo(tmp_path / "pois" / "pipe.csv")
    (tmp_path / "trains").mkdir()
    (tmp_path / "trains" / "link.csv").symlink_to("nowhere")
    refused = waypool("import", "csv", tmp_path)
    assert refused.status == 1
    assert "hotels.csv: is no file" in refused.err
    assert "pois/pipe.csv: is no file" in refused.err
    assert "trains/link.csv: cannot be read: No such file" in refused.err


def test_each_of_many_faults_is_one_line(waypool: Waypool, tmp_path: Path) -> None:
    lines = "".join(poi(f"p{n}", city='"no\nwhere"' if n % 2 else "x") for n in range(3000))
    write(tmp_path, "pois.csv", POI_HEADER + lines)
    err = waypool("import", "csv", tmp_path).err
    assert len(err.splitlines()) == 3001
    assert all(line.startswith("waypool: ") for line in err.splitlines())


def test_an_empty_or_missing_folder_is_named(waypool: Waypool, tmp_path: Path) -> None:
    assert "holds none of" in waypool("import", "csv", tmp_path).err
    assert "is not a folder" in waypool("import", "csv", tmp_path / "nowhere").err


def test_a_catalogue_holds_up_to_255_tags(waypool: Waypool, tmp_path: Path) -> None:
    write(tmp_path, "cities.csv", CITIES)
    tags = ";".join(f"t{n}" for n in range(255))
    write(tmp_path, "pois.csv", POI_HEADER + poi(tags=tags))
    assert waypool("import", "csv", tmp_path).status == 0
    write(tmp_path, "pois.csv", POI_HEADER + poi("p2", tags="one_more"))
    assert "up to 255 tags, not 256" in waypool("import", "csv", tmp_path).err


def test_synthetic_places_are_added_once(waypool: Waypool, tmp_path: Path) -> None:
    waypool("import", "csv", CASES / "pool-1" / "catalogue")
    waypool("db", "seed", "--synthetic", 500)
    again = waypool("db", "seed", "--synthetic", 500, "--json").json
    assert again["synthetic"] == {"added": 0, "changed": 0, "unchanged": 500}


def count_known(url: str) -> float:
    """How many places the server believes there are; -1 before it has ever looked."""
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "select reltuples from pg_class where relname = 'place'"
        ).fetchone()
    assert row is not None
    return float(row[0])


def test_a_large_import_leaves_tidy_tables_and_a_small_one_takes_no_time_for_it(
    waypool: Waypool, database_url: str, tmp_path: Path
) -> None:
    write(tmp_path, "cities.csv", CITIES)
    write(tmp_path, "pois.csv", POI_HEADER + poi())
    before = count_known(database_url)
    assert waypool("import", "csv", tmp_path).status == 0
    assert count_known(database_url) == before
    assert waypool("import", "csv", CASES / "pool-1" / "catalogue").status == 0
    assert count_known(database_url) == 515 + 1
    assert waypool("db", "seed", "--synthetic", "600").status == 0
    assert count_known(database_url) >= 515 + 1 + 600


def write_parts(folder: Path, *lines: str) -> Path:
    return write(folder, "pois.csv", PART_HEADER + "".join(lines).replace("#", ""))


def test_parts_may_name_places_of_the_file_and_of_the_catalogue(
    waypool: Waypool, tmp_path: Path
) -> None:
    write(tmp_path, "cities.csv", CITIES + "b,乙,B,CN,31,111,Asia/Shanghai\n")
    lines = part("p1", "p2", "dusk;night", "09:00-16:00", "ferry", "10", "17.5", "no", "sichuan")
    write_parts(tmp_path, lines, part("p2"))
    first = waypool("import", "csv", tmp_path, "--json")
    assert (first.status, first.json["files"]["pois"]["added"]) == (0, 2)
    assert waypool("import", "csv", tmp_path, "--json").json["unchanged"] == 4
    write_parts(tmp_path, part("p3", "p2"))
    assert waypool("import", "csv", tmp_path).status == 0
    write_parts(tmp_path, part("p2", "p3"))  # p3 stands in the catalogue alone
    assert "makes a circle: p2 > p3 > p2" in waypool("import", "csv", tmp_path).err
    write_parts(tmp_path, part("p2", city="b"))  # its parts stay behind
    assert "p1 is in a, p2 in b" in waypool("import", "csv", tmp_path).err
    write_parts(tmp_path, part("p4", "p2", city="b"))
    assert "p4 is in b, p2 in a" in waypool("import", "csv", tmp_path).err


def test_the_metro_may_have_hours(waypool: Waypool, tmp_path: Path, database_url: str) -> None:
    header, line, _ = CITIES.split("\n")
    text = f"{header},modes\n{line},walk;metro 05:30-00:10;taxi\n"
    assert waypool("import", "csv", write(tmp_path, "cities.csv", text)).status == 0
    with psycopg.connect(database_url) as connection:
        row = connection.execute("select modes, metro_hours from city").fetchone()
    assert row == (["walk", "metro", "taxi"], "05:30-00:10")
    write(tmp_path, "cities.csv", text.replace("05:30", "5:30"))
    assert "metro with its hours: metro 05:30-23:00" in waypool("import", "csv", tmp_path).err


FARES = "country,kind,who,age_from,age_to,share,source\n"


def test_fares_come_in_by_age(waypool: Waypool, tmp_path: Path) -> None:
    lines = "CN,rail,free,0,5,0,authored\nCN,rail,child,6,13,0.5,authored\n"
    write(tmp_path, "fares.csv", FARES + lines + "CN,sight,free,70,,0,modelled\n")
    assert waypool("import", "csv", tmp_path, "--json").json["files"]["fares"]["added"] == 3
    assert waypool("import", "csv", tmp_path, "--json").json["unchanged"] == 3
    assert waypool("db", "status", "--json").json["rows"]["fares"] == 3


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("CN,bus,child,6,13,0.5,authored\n", "kind:"),
        ("CN,rail,baby,6,13,0.5,authored\n", "who:"),
        ("CN,rail,child,13,6,0.5,authored\n", "age_to: 6 lies below age_from 13"),
        ("CN,rail,child,6,13,1.5,authored\n", "share:"),
        ("CN,rail,free,0,5,0.5,authored\n", "share: who is free pays 0, not 0.5"),
    ],
)
def test_a_wrong_fare_is_named(waypool: Waypool, tmp_path: Path, line: str, named: str) -> None:
    refused = waypool("import", "csv", write(tmp_path, "fares.csv", FARES + line))
    assert (refused.status, named in refused.err) == (1, True)
