"""Keys of names: what people do not mean is not in them, and nothing else is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.catalogue.naming import CityWords, Way, fold, make_keys, read_said, split_words

XIAN = CityWords.of("西安", "Xi'an")


def keys(name: str, city: CityWords = XIAN) -> dict[str, Way]:
    return make_keys([(name, Way.NAME)], city)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("ＢＥＩＪＩＮＧ", "beijing"),
        ("Xi’an", "xi'an"),
        ("陝西歷史博物館", "陕西历史博物馆"),
        ("頤和園", "颐和园"),
        ("故\u200b宫", "故宫"),
        ("Gù Gōng", "gugong"),
        ("798 艺术区", "798艺术区"),
        ("大 雁 塔", "大雁塔"),
    ],
)
def test_two_spellings_of_one_name_have_one_key(said: str, meant: str) -> None:
    assert fold(said) == fold(meant)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("西安碑林", "西安碑林博物馆"),
        ("碑林", "西安碑林博物馆"),
        ("Beilin", "西安碑林博物馆"),
        ("dà yàn tǎ", "大雁塔"),
        ("da4 yan4 ta3", "大雁塔"),
        ("dyt", "大雁塔"),
        ("大雁塔景区", "大雁塔"),
        ("Dayan Pagoda", "大雁塔"),
        ("the Bell Tower", "Bell Tower of Xi'an"),
        ("Xi'an Bell Towers", "Bell Tower of Xi'an"),
        ("Heaven Temple", "Temple of Heaven"),
        ("Forbidden City", "The Palace Museum (Forbidden City)"),
        ("Palace Museum", "The Palace Museum (Forbidden City)"),
        ("Mt. Cuihua", "翠华山"),
        ("Cuihua Mountain", "Mount Cuihua"),
        ("全季西湖湖滨", "全季酒店（西安西湖湖滨店）"),
        ("Westin", "The Westin Xi'an"),
    ],
)
def test_a_name_is_found_by_what_people_say(said: str, name: str) -> None:
    known = keys(name)
    assert any(known.get(r.key) in r.ways for r in read_said(said).whole)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("博物馆", "西安博物馆"),
        ("Museum", "Xi'an Museum"),
        ("人民", "人民公园"),
        ("碑林公园", "西安碑林博物馆"),
        ("小雁塔", "大雁塔"),
        ("西湖博物馆", "西湖"),
    ],
)
def test_a_general_word_or_another_place_is_not_this_one(said: str, name: str) -> None:
    known = keys(name)
    assert not any(known.get(r.key) in r.ways for r in read_said(said).whole)


@given(st.text(max_size=60))
def test_no_text_breaks_the_reading(text: str) -> None:
    said = read_said(text)
    assert said.keys == sorted(set(said.keys))
    assert split_words(" ".join(split_words(text))) == split_words(" ".join(split_words(text)))
    make_keys([(text, Way.NAME)], XIAN)
