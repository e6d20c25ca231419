"""What a page offers to go on with: links, forms that only look, and the files that it loads."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urldefrag, urlencode, urljoin

LOOKING = re.compile(r"/(preview|verify|recheck)(/|$)")
"""A form is sent by POST; where this stands in its address, nothing is changed by it."""

SAMPLE = "天坛公园"
"""What is typed into a search: a place of the catalogue and of the bench's plans."""

TYPED = {"path": "rows"}
"""What is typed where that is none, by the field's name."""

Fields = list[tuple[str, str]]


@dataclass
class Form:
    """A form as a browser would send it untouched."""

    action: str
    method: str
    fields: Fields = field(default_factory=list)
    looks: list[str] = field(default_factory=list)
    """Addresses where it only looks: its own, or those of buttons."""
    is_refused: bool = False
    """Whether a browser would not send it, as a field does not fit its pattern."""


@dataclass(frozen=True)
class Step:
    """An address to go to; with `fields`, by a form that is sent there."""

    address: str
    fields: tuple[tuple[str, str], ...] | None = None


class Page(HTMLParser):
    """The parts of a page of HTML at an address."""

    def __init__(self, address: str, html: str) -> None:
        super().__init__()
        self.address = address
        self.links: list[str] = []
        self.assets: list[str] = []
        self.forms: list[Form] = []
        self._form: Form | None = None
        self._select = ""
        self._option: dict[str, str] | None = None
        self.feed(html)

    def list_steps(self) -> list[Step]:
        """Where one can look from here: links first."""
        steps = [Step(self._resolve(link)) for link in self.links]
        for form in (form for form in self.forms if not form.is_refused):
            if form.method == "get":
                query = urlencode(form.fields)
                steps.append(Step(self._resolve(f"{form.action}?{query}")))
            else:
                steps += [Step(self._resolve(to), tuple(form.fields)) for to in form.looks]
        return steps

    def _resolve(self, address: str) -> str:
        return urldefrag(urljoin(self.address, address)).url

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what can be followed, loaded or sent."""
        values = {name: value or "" for name, value in attrs}
        note = getattr(self, f"_note_{tag}", None)
        if note is not None:
            note(values)

    def handle_endtag(self, tag: str) -> None:
        """A form's fields end with it."""
        if tag == "form":
            self._form = None

    def _note_a(self, values: dict[str, str]) -> None:
        is_page = "href" in values and "download" not in values
        if is_page and not values["href"].startswith("#"):
            self.links.append(values["href"])

    def _note_link(self, values: dict[str, str]) -> None:
        self.assets.append(values["href"])

    def _note_script(self, values: dict[str, str]) -> None:
        self.assets.append(values["src"])

    def _note_img(self, values: dict[str, str]) -> None:
        self.assets.append(values["src"])

    def _note_form(self, values: dict[str, str]) -> None:
        method = values.get("method", "get").lower()
        action = values.get("action", "")
        looks = [action] if method == "post" and LOOKING.search(action) else []
        self._form = Form(action, method, looks=looks)
        self.forms.append(self._form)

    def _note_input(self, values: dict[str, str]) -> None:
        chosen = values.get("type") not in ("checkbox", "radio") or "checked" in values
        if self._form is not None and "name" in values and chosen:
            typed = _type(values, self._form.method)
            self._form.fields.append((values["name"], typed))
            pattern = values.get("pattern") if typed else None
            self._form.is_refused |= bool(pattern and not re.fullmatch(pattern, typed))

    def _note_button(self, values: dict[str, str]) -> None:
        if self._form is not None and LOOKING.search(values.get("formaction", "")):
            self._form.looks.append(values["formaction"])

    def _note_select(self, values: dict[str, str]) -> None:
        self._select = values.get("name", "")

    def _note_option(self, values: dict[str, str]) -> None:
        self._option = values

    def handle_data(self, data: str) -> None:
        """An option's text is its value where it has no other."""
        option, self._option = self._option, None
        if self._form is None or option is None or not (value := option.get("value", data)):
            return
        names = [name for name, _ in self._form.fields]
        if self._select not in names:
            self._form.fields.append((self._select, value))
        elif "selected" in option:
            self._form.fields[names.index(self._select)] = (self._select, value)


def _type(field: dict[str, str], method: str) -> str:
    """What somebody might type: a search gets words, and a number is lowered to have a change to try."""
    value, kind = field.get("value", ""), field.get("type", "text")
    if not value and method == "get" and kind in ("text", "search"):
        return TYPED.get(field["name"], SAMPLE)
    return str(int(value) - 1) if kind == "text" and value.isdigit() and int(value) > 1 else value
