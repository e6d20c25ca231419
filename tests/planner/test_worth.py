"""What a visit is worth: steep in how known a place is, tilted by taste, less for more of the same."""

import datetime as dt

import pytest

from backend.planner.worth import Sight, Taste, rate_alone, rate_together
from backend.pool.plan_request import Tier

SPRING, WINTER = dt.date(2026, 5, 12), dt.date(2026, 12, 8)


def sight(name: str, popularity: float | None = 70, kind: str = "museum", **more: object) -> Sight:
    values = {"price": 0.0, "tags": (), **more}
    return Sight(name, kind, popularity, values["price"], values["tags"], name)  # type: ignore[arg-type]


def taste(*interests: str, tier: Tier = "comfort", date: dt.date = SPRING) -> Taste:
    return Taste(frozenset(interests), tier, date)


def test_the_reason_to_come_weighs_as_much_as_several_nice_places() -> None:
    icon, nice = rate_alone(sight("icon", 98), taste()), rate_alone(sight("nice", 75), taste())
    assert icon > 6 * nice


def test_an_interest_tilts_and_does_not_drop_what_all_come_for() -> None:
    likes = taste("history")
    icon, wish = sight("icon", 97), sight("wish", 75, tags=("history",))
    assert rate_alone(wish, likes) > rate_alone(wish, taste())
    assert rate_alone(icon, likes) > rate_alone(wish, likes)


@pytest.mark.parametrize(("tier", "least"), [("economy", 150), ("quality", 40)])
def test_a_ticket_counts_by_tier(tier: Tier, least: float) -> None:
    free, dear = sight("a", 90), sight("b", 90, price=100.0)
    assert rate_alone(free, taste(tier=tier)) - rate_alone(dear, taste(tier=tier)) == pytest.approx(
        least
    )


def test_an_unknown_place_is_still_worth_something_and_a_beach_less_in_winter() -> None:
    assert rate_alone(sight("new", None), taste()) > 100
    beach = sight("beach", 90, "beach")
    assert rate_alone(beach, taste(date=WINTER)) < rate_alone(beach, taste()) / 2


def test_a_second_wall_is_worth_less_beside_the_first_one() -> None:
    walls = [sight("慕田峪长城", 91, "historic_site"), sight("八达岭长城", 97, "historic_site")]
    second, first = rate_together(walls, taste())
    assert first == rate_alone(walls[1], taste())
    assert second < 0.6 * rate_alone(walls[0], taste())


def test_the_best_place_of_each_interest_counts_more() -> None:
    sights = [sight("a", 60, tags=("art",)), sight("b", 61, "gallery"), sight("c", 62, "park")]
    plain, wished = rate_together(sights, taste()), rate_together(sights, taste("art"))
    assert wished[0] > plain[0] + 1000
    assert wished[1:] == plain[1:]


def test_the_order_of_the_list_changes_nothing() -> None:
    sights = [sight(f"p{n}", 50 + n % 7) for n in range(9)]
    forward = dict(zip([s.id for s in sights], rate_together(sights, taste()), strict=True))
    back = sights[::-1]
    assert dict(zip([s.id for s in back], rate_together(back, taste()), strict=True)) == forward


def test_the_only_interest_outweighs_a_day_of_other_places() -> None:
    park = sight("park", 74, "theme_park", price=280.0, tags=("theme_park",))
    others = [sight(f"p{n}", 85 - n, kind) for n, kind in enumerate(("lake", "garden", "temple"))]
    worth = rate_together([park, *others], taste("theme_park"))
    assert worth[0] > sum(worth[1:])
