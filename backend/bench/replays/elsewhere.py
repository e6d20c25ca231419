"""Verifies exports in a process of its own: `python -m backend.bench.replays.elsewhere FILE…`.

It is started without a database, without a home and with another time zone and hash seed, perhaps by
another Python. A line of JSON a file, with what it came to.
"""

import asyncio
import json
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from backend.agent.replies import dump_json
from backend.replay.export import read_export
from backend.replay.verify import verify


def main(files: Sequence[str]) -> None:
    """Verify each file."""
    for file in files:
        export = read_export(json.loads(Path(file).read_text(encoding="utf-8")))
        began = time.process_time()
        report = asyncio.run(verify(export)).as_json()
        told = {"python": platform.python_version(), "zone": "/".join(time.tzname)}
        spent = round(time.process_time() - began, 3)
        sys.stdout.write(dump_json({**told, "file": file, "seconds": spent, **report}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
