"""What a traveller may wish for beyond the fields of a request, one model for each kind.

A snapshot holds wishes with ids for the names of places, hotels, tags and cities. `must` is an
error of the plan where it is not kept, `rather` a warning.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from backend.clock import parse_minutes
from backend.money import Money

LATEST_DAY_END = "26:00"
NEAR_M = 1_500
"""How far a hotel may be that is wished for near a place."""
Weight = Literal["must", "rather"]
SpentOn = Literal["hotels", "tickets", "meals", "intercity", "local"]
PricedThing = Literal["night", "meal", "ticket"]
IntercityMode = Literal["train", "flight", "coach", "ferry"]
LocalMode = Literal["walk", "metro", "bus", "taxi"]
BedsInRoom = Literal["one_double", "two_single", "family"]
MealName = Literal["breakfast", "lunch", "dinner"]


def _is_said(value: object) -> bool:
    return value is not None and value is not False and value != ()


def _is_unsaid(value: object) -> bool:
    return not _is_said(value)


def check_time(text: str) -> str:
    """The text, if it is a time of a day that ends at 26:00 at the latest."""
    try:
        minutes = parse_minutes(text)
    except ValueError:
        raise PydanticCustomError("bad_time", "must be a time of the form HH:MM") from None
    if minutes > parse_minutes(LATEST_DAY_END):
        raise PydanticCustomError("bad_time", "must not be later than 26:00")
    return text


def _unsaid(description: str = "", *, default: Any = None, **more: Any) -> Any:
    """A field that documents leave out where it is not said, so that hashes stay."""
    return Field(default, exclude_if=_is_unsaid, description=description or None, **more)


Time = Annotated[str, AfterValidator(check_time), Field(examples=["09:30"])]
Said = Annotated[str, Field(min_length=1, max_length=200)]
Limit = Annotated[Money, Field(ge=0, max_digits=12, decimal_places=2)]
Count = Annotated[int, Field(ge=1, le=50, strict=True)]
CountFromNone = Annotated[int, Field(ge=0, le=50, strict=True)]
DayNumber = Annotated[int, Field(ge=1, le=30, strict=True, description="From 1.")]
Names = Annotated[tuple[Said, ...], Field(max_length=20)]


class AnyOf(BaseModel):
    """Places of which one is enough."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    any_of: Annotated[tuple[Said, ...], Field(min_length=1, max_length=20)]


def _one_or_group(value: object) -> str:
    return "group" if isinstance(value, dict | AnyOf) else "name"


NameOrGroup = Annotated[
    Annotated[Said, Tag("name")] | Annotated[AnyOf, Tag("group")], Discriminator(_one_or_group)
]
"""A place by id or name, or places of which one is enough, as 长城 is in Beijing."""


def list_ids(named: str | AnyOf | None) -> tuple[str, ...]:
    """The places of which one is enough; none where nothing is named."""
    if named is None:
        return ()
    return (named,) if isinstance(named, str) else named.any_of


Legs = Literal["all", "out", "back"] | Annotated[int, Field(ge=0, le=8, strict=True)]


def _need_none(raw: object) -> object:
    """A wish for at most so many needs none of them."""
    if isinstance(raw, Mapping) and raw.get("at_most") is not None and "at_least" not in raw:
        return {**raw, "at_least": 0}
    return raw


class WishBase(BaseModel):
    """Fields of every wish."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        str_strip_whitespace=True,
        populate_by_name=True,
        serialize_by_alias=True,
    )

    weight: Weight = Field("must", description="`must`: an error; `rather`: a warning.")
    negated: Annotated[bool, Field(strict=True)] = Field(
        False, alias="not", exclude_if=_is_unsaid, description="What is not wanted."
    )

    _one_of: ClassVar[tuple[str, ...]] = ()
    """Of these fields at least one must be said."""

    @property
    def is_unwanted(self) -> bool:
        """Whether it says what may not be in the plan."""
        return self.negated

    @property
    def places(self) -> tuple[str, ...]:
        """Places that it names, by id."""
        return ()

    @model_validator(mode="after")
    def _check_it_says_something(self) -> Self:
        if self._one_of and not any(_is_said(getattr(self, name)) for name in self._one_of):
            names = ", ".join(self.model_fields_by_alias(self._one_of))
            raise PydanticCustomError(
                "wish_says_nothing", "must have one of {names}", {"names": names}
            )
        return self

    @classmethod
    def model_fields_by_alias(cls, names: Iterable[str]) -> Iterator[str]:
        """The names of fields as documents have them."""
        return (cls.model_fields[name].alias or name for name in names)


class SpendWish(WishBase):
    """How much the whole party spends on one kind of thing; CNY."""

    kind: Literal["spend"]
    _one_of = ("at_most", "at_least")
    on: SpentOn
    at_most: Limit | None = _unsaid()
    at_least: Limit | None = _unsaid()


class PriceWish(WishBase):
    """The price of one night in one room, of one meal or one ticket for one; CNY.

    `each`: every one of them; without it their mean.
    """

    kind: Literal["price"]
    _one_of = ("at_most", "at_least")
    of: PricedThing
    at_most: Limit | None = _unsaid()
    at_least: Limit | None = _unsaid()
    each: Annotated[bool, Field(strict=True)] = True


class IntercityWish(WishBase):
    """How to go from one city to the next."""

    kind: Literal["intercity"]
    _one_of = (
        "mode",
        "types",
        "number",
        "direct",
        "longest_min",
        "depart_after",
        "depart_before",
        "arrive_after",
        "arrive_before",
    )
    legs: Legs = Field("all", description="`all`, `out`, `back`, or the number of one leg from 0.")
    mode: IntercityMode | None = _unsaid()
    types: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=4)], ...], Field(max_length=10)
    ] = _unsaid("First letters of the numbers of trains, such as G and D.", default=())
    number: Annotated[str, Field(min_length=1, max_length=20)] | None = _unsaid(
        "The number of one train or flight."
    )
    direct: Annotated[bool, Field(strict=True)] = _unsaid("Without a change.", default=False)
    longest_min: Annotated[int, Field(ge=1, le=2880, strict=True)] | None = _unsaid(
        "Minutes from departure to arrival, at most."
    )
    depart_after: Time | None = _unsaid()
    depart_before: Time | None = _unsaid()
    arrive_after: Time | None = _unsaid()
    arrive_before: Time | None = _unsaid()

    def pick_legs(self, ways: Sequence[tuple[str, str]], origin: str | None) -> list[int]:
        """The numbers of the legs that it is about; none where the trip has no such leg."""
        last = len(ways) - 1
        if self.legs == "all":
            return list(range(len(ways)))
        if self.legs == "out":
            return [0] if ways and ways[0][0] == origin else []
        if self.legs == "back":
            return [last] if ways and ways[last][1] == origin else []
        return [self.legs] if self.legs <= last else []


class BedsWish(WishBase):
    """Which beds stand in a room."""

    kind: Literal["beds"]
    in_room: BedsInRoom
    rooms: Annotated[int, Field(ge=1, le=20, strict=True)] | None = _unsaid()


class VisitWish(WishBase):
    """Places by type, by tag or by name of which so many are visited, or none (`none`, `not`).

    Without a type, tag or name it is about all sights.
    """

    kind: Literal["visit"]
    _one_of = ("type", "tag", "any_of", "free", "each_day", "at_most", "day")
    type: Names = _unsaid("Types of places, such as museum.", default=())
    tag: Names = _unsaid("Tags by id or name, such as history.", default=())
    any_of: Names = _unsaid("Places by id or name.", default=())
    at_least: CountFromNone = 1
    at_most: Count | None = _unsaid("Without `at_least` none is needed.")
    each_day: Annotated[bool, Field(strict=True)] = _unsaid(
        "The numbers are those of each day.", default=False
    )
    day: DayNumber | None = _unsaid()
    free: Annotated[bool, Field(strict=True)] = _unsaid(
        "Only places without an entrance fee count.", default=False
    )
    none: Annotated[bool, Field(strict=True)] = _unsaid("The same as `not`.", default=False)

    _need_none = model_validator(mode="before")(_need_none)

    @property
    def is_unwanted(self) -> bool:
        """Whether no such place may be in the plan."""
        return self.none or self.negated

    @property
    def places(self) -> tuple[str, ...]:
        """Places that it names, by id."""
        return self.any_of


class EatWish(WishBase):
    """A cuisine or a place by name for so many meals."""

    kind: Literal["eat"]
    _one_of = ("cuisine", "place")
    cuisine: Names = _unsaid("Cuisines, such as sichuan or 川菜.", default=())
    place: NameOrGroup | None = _unsaid("A place by id or name.")
    meal: MealName | None = _unsaid()
    at_least: CountFromNone = 1
    at_most: Count | None = _unsaid("Without `at_least` none is needed.")
    day: DayNumber | None = _unsaid()

    _need_none = model_validator(mode="before")(_need_none)

    @property
    def places(self) -> tuple[str, ...]:
        """Places that it names, by id."""
        return list_ids(self.place)


class HotelWish(WishBase):
    """A hotel by name, by what it offers or by where it is."""

    kind: Literal["hotel"]
    _one_of = ("hotel", "features", "near", "stars", "stars_at_most", "rating", "same")
    hotel: Said | None = _unsaid("One hotel by id or name.")
    features: Names = _unsaid("What it offers, such as pool or breakfast.", default=())
    near: NameOrGroup | None = _unsaid("A place or a station by id or name.")
    within_m: Annotated[int, Field(ge=50, le=50_000, strict=True)] | None = _unsaid(
        "Metres from `near` in a straight line. Default: 1,500."
    )
    stars: Annotated[int, Field(ge=1, le=5, strict=True)] | None = _unsaid("At least.")
    stars_at_most: Annotated[int, Field(ge=1, le=5, strict=True)] | None = _unsaid("At most.")
    rating: Annotated[float, Field(ge=0, le=10)] | None = _unsaid(
        "Guests' rating, at least; on the scale of the catalogue."
    )
    same: Annotated[bool, Field(strict=True)] = _unsaid(
        "The same hotel for all nights in a city.", default=False
    )

    @property
    def metres(self) -> int:
        """How far from `near` it may be."""
        return self.within_m or NEAR_M

    @property
    def places(self) -> tuple[str, ...]:
        """Places that it names, by id; a station is none."""
        return tuple(row for row in list_ids(self.near) if "/" not in row)


class LocalWish(WishBase):
    """How to get about in a city: only by these, also by these, or never by these."""

    kind: Literal["local"]
    _one_of = ("only", "use", "never", "longest_walk_m", "longest_min")
    only: Annotated[tuple[LocalMode, ...], Field(max_length=4)] = _unsaid("", default=())
    use: Annotated[tuple[LocalMode, ...], Field(max_length=4)] = _unsaid("", default=())
    never: Annotated[tuple[LocalMode, ...], Field(max_length=4)] = _unsaid("", default=())
    longest_walk_m: Annotated[int, Field(ge=100, le=20_000, strict=True)] | None = _unsaid(
        "Metres of the longest single walk."
    )
    longest_min: Annotated[int, Field(ge=1, le=1440, strict=True)] | None = _unsaid(
        "Minutes of the longest single way."
    )


class AtWish(WishBase):
    """A place on a day, at a time, for some minutes, or after another place."""

    kind: Literal["at"]
    _one_of = ("day", "start", "end", "minutes", "after")
    place: NameOrGroup
    day: DayNumber | None = _unsaid()
    start: Time | None = _unsaid("Not there before this time.", alias="from")
    end: Time | None = _unsaid("Left by this time.", alias="to")
    minutes: Annotated[int, Field(ge=1, le=1440, strict=True)] | None = _unsaid("At least.")
    after: NameOrGroup | None = _unsaid("A place by id or name that comes earlier.")

    @property
    def places(self) -> tuple[str, ...]:
        """Places that it names, by id."""
        return (*list_ids(self.place), *list_ids(self.after))


Wish = Annotated[
    SpendWish
    | PriceWish
    | IntercityWish
    | BedsWish
    | VisitWish
    | EatWish
    | HotelWish
    | LocalWish
    | AtWish,
    Field(discriminator="kind"),
]
WISH_KINDS = ("spend", "price", "intercity", "beds", "visit", "eat", "hotel", "local", "at")


def list_exempt_places(wishes: Sequence[Wish]) -> tuple[str, ...]:
    """Places that a wish names and does not refuse: no rule keeps them out of the pool."""
    named = (wish.places for wish in wishes if not wish.is_unwanted)
    return tuple(dict.fromkeys(place for places in named for place in places))


def list_exempt_hotels(wishes: Sequence[Wish]) -> tuple[str, ...]:
    """The same for hotels."""
    named = (wish.hotel for wish in wishes if isinstance(wish, HotelWish) and not wish.is_unwanted)
    return tuple(dict.fromkeys(hotel for hotel in named if hotel is not None))


def drop_named(wishes: Sequence[Wish], gone: Container[str]) -> tuple[Wish, ...]:
    """The wishes without these places and hotels; one that says nothing any more is left out."""
    return tuple(w for wish in wishes if (w := _drop_names(wish, gone)) is not None)


def _drop_names(wish: Wish, gone: Container[str]) -> Wish | None:
    if wish.is_unwanted or isinstance(wish, SpendWish | PriceWish | IntercityWish | LocalWish):
        return wish
    fields: dict[str, Any] = wish.model_dump(exclude={"negated"})
    names = [name for name in ("any_of", "place", "hotel", "after") if fields.get(name)]
    for name in names:
        named = getattr(wish, name)
        ids = tuple(i for i in (named if name == "any_of" else list_ids(named)) if i not in gone)
        fields[name] = ids if name == "any_of" else _name_or_group(ids)
    if isinstance(wish, VisitWish) and wish.any_of and not (wish.type or wish.tag):
        fields["at_least"] = min(wish.at_least, len(fields["any_of"]))
        if not fields["any_of"]:
            return None
    try:
        return type(wish).model_validate({k: v for k, v in fields.items() if v is not None})
    except ValidationError:
        return None


def _name_or_group(ids: tuple[str, ...]) -> str | dict[str, Any] | None:
    if not ids:
        return None
    return ids[0] if len(ids) == 1 else {"any_of": ids}


def number_wishes(wishes: tuple[Wish, ...], *kinds: str) -> Iterator[tuple[int, Any]]:
    """The wishes of these kinds with their numbers from 0, as `where` counts them."""
    return ((n, wish) for n, wish in enumerate(wishes) if wish.kind in kinds)
