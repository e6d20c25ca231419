"""The names that people use: each leads to its place in its city, and to no other."""

from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from backend.catalogue.importers.catalogue_csv import read_folder
from backend.catalogue.importers.import_batch import ImportBatch
from backend.catalogue.matching import KeyRow, NameKind, Scope, choose
from backend.catalogue.naming import CityWords, Way, make_keys, read_said

FOLDER = Path(__file__).parents[2] / "seed_data"
ANYTHING = Scope(("poi", "group", "hotel"))


@cache
def seed() -> ImportBatch:
    batch, faults = read_folder(FOLDER)
    assert not faults
    return batch


def index(city: str) -> dict[str, list[KeyRow]]:
    batch = seed()
    row = next(line for line in batch.cities if line.id == city)
    words = CityWords.of(row.name, row.name_en)
    names: dict[tuple[NameKind, str], list[tuple[str, Way]]] = defaultdict(list)
    for poi in (line for line in batch.pois if line.city == city):
        names["poi", poi.id] += [(poi.name, Way.NAME), (poi.name_en, Way.NAME)]
    for hotel in (line for line in batch.hotels if line.city == city):
        names["hotel", hotel.id] += [(hotel.name, Way.NAME), (hotel.name_en, Way.NAME)]
    for line in batch.names:
        if (line.kind, line.id) in names or line.kind == "group":
            way = Way.NAME if line.use == "name" else Way.ALIAS
            names[line.kind, line.id].append((line.name, way))
    rows: dict[str, list[KeyRow]] = defaultdict(list)
    for (kind, owner), own in names.items():
        if kind != "group" or ("poi", owner) in names:
            for key, way in make_keys(own, words).items():
                rows[key].append(KeyRow(key, kind, owner, city, way))
    return rows


def test_thousands_of_names_in_both_languages_for_every_city() -> None:
    counted: dict[tuple[str, str], int] = defaultdict(int)
    cities = {poi.id: poi.city for poi in seed().pois}
    for line in seed().names:
        if line.kind == "poi":
            counted[cities[line.id], line.language] += 1
    assert len(counted) == 2 * len(seed().cities)
    assert min(counted.values()) >= 250


@pytest.mark.parametrize("city", [line.id for line in seed().cities])
def test_a_name_leads_to_its_own_place(city: str) -> None:
    rows = index(city)
    own = {row.id for part in rows.values() for row in part}
    wrong, unclear, total = [], [], 0
    for line in seed().names:
        if line.kind not in {"poi", "hotel"} or line.id not in own:
            continue
        total += 1
        found = [row.id for row in choose(read_said(line.name), rows, ANYTHING).rows]
        if line.id not in found:
            wrong.append((line.name, line.id, found))
        elif len(found) > 1:
            unclear.append((line.name, found))
    assert len(wrong) <= 0.005 * total, wrong
    assert len(unclear) <= 0.03 * total, unclear


EVERYDAY: dict[str, dict[str, list[str]]] = {
    "beijing": {
        "gugong": ["故宫", "Forbidden City"],
        "badaling juyongguan mutianyu shuichangcheng simatai": ["长城", "Great Wall"],
        "niaochao": ["鸟巢", "Bird's Nest"],
        "shuilifang": ["水立方", "Water Cube"],
        "tiantan": ["天坛", "Temple of Heaven"],
        "yiheyuan": ["颐和园", "Summer Palace"],
        "yuanmingyuan": ["圆明园"],
        "yonghegong": ["雍和宫"],
        "guobo": ["国博"],
        "nanluoguxiang": ["南锣鼓巷"],
    },
    "tianjin": {"yan": ["天津之眼"], "wudadao": ["五大道"], "guwenhuajie": ["古文化街"]},
    "shanghai": {
        "waitan": ["外滩", "The Bund"],
        "dongfangmingzhu": ["东方明珠", "Oriental Pearl Tower"],
        "yuyuan": ["豫园", "Yu Garden"],
        "chenghuangmiao": ["城隍庙"],
        "tianzifang": ["田子坊"],
        "disini": ["迪士尼"],
        "shangbo": ["上博"],
    },
    "nanjing": {
        "zhongshanling": ["中山陵"],
        "fuzimiao": ["夫子庙", "Confucius Temple"],
        "mingxiaoling": ["明孝陵"],
        "zongtongfu": ["总统府"],
    },
    "suzhou": {
        "zhuozhengyuan": ["拙政园", "Humble Administrator's Garden"],
        "shizilin": ["狮子林"],
        "huqiu": ["虎丘", "Tiger Hill"],
        "suzhoubowuguan": ["苏博"],
    },
    "hangzhou": {
        "xihu": ["西湖", "West Lake"],
        "lingyinsi": ["灵隐寺", "Lingyin Temple"],
        "leifengta": ["雷峰塔"],
    },
    "xian": {
        "bingmayong": ["兵马俑", "Terracotta Army", "Terracotta Warriors"],
        "dayanta": ["大雁塔", "Big Wild Goose Pagoda"],
        "chengqiang": ["西安城墙"],
        "huiminjie": ["回民街", "Muslim Quarter"],
        "huaqinggong": ["华清池"],
        "zhonglou": ["钟楼"],
        "beilin": ["碑林"],
        "shanlibo": ["陕历博"],
    },
    "luoyang": {"longmen": ["龙门石窟", "Longmen Grottoes"], "baimasi": ["白马寺"]},
    "chengdu": {
        "xiongmao": ["熊猫基地", "Panda Base"],
        "kuanzhai": ["宽窄巷子"],
        "jinli": ["锦里"],
        "wuhouci": ["武侯祠"],
        "dufu": ["杜甫草堂"],
        "dujiangyan": ["都江堰"],
    },
    "chongqing": {
        "hongyadong": ["洪崖洞", "Hongya Cave"],
        "jiefangbei": ["解放碑"],
        "ciqikou": ["磁器口"],
    },
    "guangzhou": {
        "guangzhouta": ["小蛮腰", "Canton Tower"],
        "chenjiaci": ["陈家祠"],
    },
    "shenzhen": {"shijiezhichuang": ["世界之窗", "Window of the World"]},
    "wuhan": {"huanghelou": ["黄鹤楼", "Yellow Crane Tower"], "tingtao": ["东湖"]},
    "guilin": {"xiangbishan": ["象鼻山", "Elephant Trunk Hill"], "lijiang": ["漓江"]},
    "xiamen": {"gulangyu": ["鼓浪屿", "Gulangyu"], "nanputuo": ["南普陀"]},
    "qingdao": {"zhanqiao": ["栈桥"], "taiqing": ["崂山"], "wusi": ["五四广场"]},
}
"""By city and by the ends of the ids: what people call the best known places, a group for some."""


@pytest.mark.parametrize("city", EVERYDAY)
def test_everyday_names_are_understood(city: str) -> None:
    rows = index(city)
    found: dict[str, list[str]] = defaultdict(list)
    for name in (name for names in EVERYDAY[city].values() for name in names):
        chosen = choose(read_said(name), rows, ANYTHING).rows
        found[" ".join(row.id.removeprefix(f"{city}-") for row in chosen)].append(name)
    assert found == EVERYDAY[city]


def test_there_are_88_of_them_in_all_cities() -> None:
    assert sum(len(names) for city in EVERYDAY.values() for names in city.values()) == 88
    assert set(EVERYDAY) == {line.id for line in seed().cities}
