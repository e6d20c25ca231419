"""What is installed brings migrations, seed data and the facts of the models along."""

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_wheel_holds_migrations_and_seed_data(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("waypool-*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("migrations", "seed_data"):
        inside = {
            f"backend/_data/{path.relative_to(ROOT)}"
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert inside <= names
    assert "backend/catalogue/modelling/lines.csv" in names
    assert not {name for name in names if name.startswith("tests/")}
