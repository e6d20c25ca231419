"""A process that uses the database of a data folder: prints its address, obeys, leaves at the end.

With a second argument it becomes an ordinary user first, if it is root, and copies the programs
there. That happens after the imports, because such a user may be unable to read the interpreter.
"""

import os
import pwd
import sys
from pathlib import Path

from backend.db import embedded
from backend.db.cluster import copy_programs
from backend.db.ending import end_in_order
from backend.errors import WaypoolError


def become_ordinary(programs_copy: Path) -> None:
    """Give up root, and keep programs that can still be read."""
    programs = copy_programs(embedded._find_programs(), programs_copy)
    embedded._find_programs = lambda: programs
    nobody = pwd.getpwnam("nobody")
    os.setgroups([])
    os.setgid(nobody.pw_gid)
    os.setuid(nobody.pw_uid)


def say(line: str) -> None:
    """Answer whoever started this process."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def use(data: Path) -> None:
    """Hold the database until standard input ends; `fork` makes a child that exits at once."""
    with end_in_order(), embedded.start_embedded(data) as server:
        say(server.url)
        for line in sys.stdin:
            if line.strip() == "fork":
                child = os.fork()
                if child == 0:
                    sys.exit()
                os.waitpid(child, 0)
            say("done")


if __name__ == "__main__":
    if len(sys.argv) > 2 and os.geteuid() == 0:
        become_ordinary(Path(sys.argv[2]))
    try:
        use(Path(sys.argv[1]))
    except WaypoolError as error:
        sys.exit(f"{error.code}: {error}")
