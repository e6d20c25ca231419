"""Files that pages load: kept by a browser for as long as their content is the same.

Pages name each with `?v=…`, which follows from the content of all of them; under that name a file
never changes. Under any other it is asked for again, and not sent again where it is the same.
"""

import hashlib
import importlib.util
from functools import cache
from importlib.metadata import version
from os import PathLike, stat_result
from pathlib import Path
from urllib.parse import parse_qs

from fastapi import Response
from fastapi.staticfiles import StaticFiles
from starlette.types import Scope

STATIC = Path(__file__).parent / "static"

_FOR_EVER = "public, max-age=31536000, immutable"


@cache
def read_version() -> str:
    """What changes when any of the files does."""
    digest = hashlib.sha256(version("XStatic-Leaflet").encode())
    for path in sorted(STATIC.iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def find_leaflet() -> Path:
    """The map's library comes as a package of static files; nothing of it is kept here."""
    found = importlib.util.find_spec("xstatic.pkg.leaflet")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "data"


class Assets(StaticFiles):
    """Files of a folder, with the time that a browser may keep them."""

    def file_response(
        self,
        full_path: "str | PathLike[str]",
        stat_result: stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """The file, or that it is the same as before."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        asked = parse_qs(scope["query_string"].decode("latin-1")).get("v")
        response.headers["Cache-Control"] = _FOR_EVER if asked == [read_version()] else "no-cache"
        return response
