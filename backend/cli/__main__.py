"""`python -m backend.cli` is `waypool` where nothing is installed."""

from backend.cli import main

main()
