"""What is meant: the surest owner, all of them where several are, none for what is too far."""

import pytest

from backend.catalogue.matching import (
    Choice,
    KeyRow,
    NameKind,
    Scope,
    choose,
    choose_slip,
    list_slip_keys,
    rank_near,
)
from backend.catalogue.naming import CityWords, Way, make_keys, read_said

CITIES = {"beijing": ("北京", "Beijing"), "xian": ("西安", "Xi'an")}
OWNERS: list[tuple[NameKind, str, str, list[str]]] = [
    ("poi", "gugong", "beijing", ["故宫博物院", "The Palace Museum", "太和殿"]),
    ("poi", "badaling", "beijing", ["八达岭长城", "Badaling Great Wall"]),
    ("poi", "mutianyu", "beijing", ["慕田峪长城", "Mutianyu Great Wall"]),
    ("group", "badaling", "beijing", ["长城", "Great Wall"]),
    ("group", "mutianyu", "beijing", ["长城", "Great Wall"]),
    ("poi", "b-zhonglou", "beijing", ["北京钟楼", "Beijing Bell Tower"]),
    ("poi", "x-zhonglou", "xian", ["西安钟楼", "Bell Tower of Xi'an"]),
    ("poi", "bingmayong", "xian", ["秦始皇帝陵博物院", "兵马俑", "Terracotta Army"]),
    ("poi", "dayanta", "xian", ["大雁塔", "Giant Wild Goose Pagoda"]),
    ("poi", "guangchang", "xian", ["大雁塔北广场", "North Square"]),
]
ALL = Scope(("poi", "group", "hotel"))
XIAN = Scope(("poi", "group", "hotel"), ("xian",))


def rows() -> dict[str, list[KeyRow]]:
    found: dict[str, list[KeyRow]] = {}
    words = {city: CityWords.of(*names) for city, names in CITIES.items()}
    cities: list[tuple[NameKind, str, str, list[str]]] = [
        ("city", city, city, list(names)) for city, names in CITIES.items()
    ]
    for kind, owner, city, names in [*OWNERS, *cities]:
        own = CityWords() if kind == "city" else words[city]
        for key, way in make_keys([(name, Way.NAME) for name in names], own).items():
            found.setdefault(key, []).append(KeyRow(key, kind, owner, city, way))
    return found


def meant(said: str, scope: Scope = ALL) -> Choice:
    return choose(read_said(said), rows(), scope)


@pytest.mark.parametrize(
    ("said", "owner"),
    [
        ("故宫", "gugong"),
        ("北京故宫", "gugong"),
        ("故宫太和殿", "gugong"),
        ("Palace Museum, Beijing", "gugong"),
        ("西安钟楼", "x-zhonglou"),
        ("钟楼 西安", "x-zhonglou"),
        ("大雁塔", "dayanta"),
        ("大雁塔北广场", "guangchang"),
        ("兵马佣", "bingmayong"),
        ("Terracotta Army in Xi'an", "bingmayong"),
    ],
)
def test_one_clear_owner_is_taken(said: str, owner: str) -> None:
    assert [row.id for row in meant(said).rows] == [owner]


def test_a_name_of_two_cities_is_ambiguous_until_one_is_given() -> None:
    assert [row.id for row in meant("钟楼").rows] == ["b-zhonglou", "x-zhonglou"]
    assert not meant("钟楼").is_clear
    assert [row.id for row in meant("钟楼", XIAN).rows] == ["x-zhonglou"]


def test_a_group_means_any_of_its_members() -> None:
    choice = meant("长城")
    assert choice.is_group
    assert [row.id for row in choice.rows] == ["badaling", "mutianyu"]


@pytest.mark.parametrize("said", ["故宫公园", "大雁塔博物馆", "Great Museum", "博物馆", "", "北京"])
def test_what_nobody_is_called_means_nothing(said: str) -> None:
    assert meant(said).rows == ()


@pytest.mark.parametrize("said", ["故宫", "北京故宫", "Badaling"])
def test_a_place_of_another_city_is_not_taken(said: str) -> None:
    assert meant(said, XIAN).rows == ()


def all_rows() -> list[KeyRow]:
    return [row for part in rows().values() for row in part]


@pytest.mark.parametrize(
    ("said", "owner"),
    [
        ("Terracota Army", "bingmayong"),
        ("Mutianyu Graet Wall", "mutianyu"),
        ("Xi'an Terracotta Armie", "bingmayong"),
    ],
)
def test_a_slip_in_a_long_name_is_forgiven(said: str, owner: str) -> None:
    keys = list_slip_keys(read_said(said), rows())
    assert [row.id for row in choose_slip(keys, all_rows(), ALL).rows] == [owner]


@pytest.mark.parametrize("said", ["小雁塔", "大雁塔南广场", "Gugonk", "Palace"])
def test_a_slip_that_may_be_another_place_is_not(said: str) -> None:
    keys = list_slip_keys(read_said(said), rows())
    assert choose_slip(keys, all_rows(), ALL).rows == ()


def test_the_nearest_stand_first() -> None:
    near = rank_near(read_said("大雁塔南广场"), all_rows(), XIAN)
    assert [row.id for row in near][:2] == ["guangchang", "dayanta"]
