"""Examples at the end of each command's `--help`; a test parses every one of them."""

import click

EXAMPLES: dict[str, tuple[str, ...]] = {
    "demo": ("waypool demo", "waypool demo --keep"),
    "plan": (
        "waypool plan --request trip.json",
        "waypool plan --request trip.json --ics trip.ics --markdown trip.md",
    ),
    "read": ("waypool read '国庆带爸妈去西安玩4天,预算8000,想看兵马俑' --json",),
    "pool preview": ("waypool pool preview --request trip.json --param POOL_POI_SIZE=20",),
    "params list": ("waypool params list",),
    "params set": ("waypool params set POOL_POI_SIZE 40 --why 'the old city is large'",),
    "params history": ("waypool params history POOL_POI_SIZE",),
    "params revert": ("waypool params revert POOL_POI_SIZE",),
    "tools list": ("waypool tools list",),
    "tools set": ("waypool tools set list_pois --limit 10 --why 'pages are long'",),
    "sweep": (
        "waypool sweep --param POOL_POI_SIZE=20,40,60 --runs last:50",
        "waypool sweep --limit list_pois=10,25 --runs requests.json --svg sweep.svg",
    ),
    "import csv": ("waypool import csv my-catalogue/",),
    "export csv": ("waypool export csv my-catalogue/",),
    "sources list": ("waypool sources list",),
    "sources test": ('waypool sources test hk_border_crossings --args \'{"date": "2026-03-08"}\'',),
    "sources enable": ("waypool sources enable hk_weather_now",),
    "sources add": ("waypool sources add my-source.json",),
    "runs list": ("waypool runs list --status failed --limit 50",),
    "runs show": (
        "waypool runs show run_01k0000000000000000000000",
        "waypool runs show run_01k0000000000000000000000 --ledger",
    ),
    "runs export": (
        "waypool runs export run_01k0000000000000000000000 -o run.json",
        "waypool runs export run_01k0000000000000000000000 --redact -o run.json",
    ),
    "runs diff": ("waypool runs diff one.json other.json",),
    "runs bisect": ("waypool runs bisect one.json other.json",),
    "runs pin": ("waypool runs pin run_01k0000000000000000000000",),
    "replay": (
        "waypool replay run.json",
        "waypool replay run.json --until 12",
        "waypool replay run.json --param POOL_POI_SIZE=20 --limit list_pois=10",
    ),
    "tool call": ('waypool tool call list_pois --snapshot pool.json --args \'{"city": "北京"}\'',),
    "results put": ("waypool results put rows.json",),
    "results query": ("waypool results query HANDLE 'rows[?amount>=100].order_id'",),
    "audit-columns": ("waypool audit-columns rows.json --cut 8192",),
    "mock-llm": (
        "waypool mock-llm --list",
        "waypool mock-llm --scenario rate-limited --dialect deepseek --port 8090",
    ),
    "bench pool": ("waypool bench pool --places 100000 --cities 30",),
    "bench quality": ("waypool bench quality --requests 50 --seed 1",),
    "bench runs": ("waypool bench runs throughput --scale 0.1",),
    "serve": ("waypool serve --port 8080", "waypool serve --no-worker"),
    "worker": ("waypool worker --concurrency 8",),
    "db upgrade": ("waypool db upgrade --plan", "waypool db upgrade"),
    "db seed": ("waypool db seed", "waypool db seed --synthetic 100000"),
    "doctor": ("waypool doctor", "waypool doctor --json"),
    "db status": ("waypool db status --json",),
    "backup": ("waypool backup waypool-2026-11-30.zip",),
    "restore": (
        "waypool restore waypool-2026-11-30.zip",
        "waypool restore waypool-2026-11-30.zip --replace",
    ),
    "keys create": ("waypool keys create --tenant acme --scope user --label 'our app'",),
    "keys list": ("waypool keys list",),
    "config": ("waypool config --json",),
    "completion": (
        "waypool completion bash >> ~/.bashrc",
        "waypool completion fish > ~/.config/fish/completions/waypool.fish",
    ),
}
"""By the words that lead to the command."""


def attach_examples(command: click.Command, path: str) -> None:
    """Put the examples of a command, and of all commands below it, at the end of their help."""
    lines = EXAMPLES.get(path)
    if lines and command.epilog is None:
        command.epilog = "\b\nExamples:\n" + "".join(f"  {line}\n" for line in lines)
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            attach_examples(child, f"{path} {name}")
