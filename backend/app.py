"""Builds the web application."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Depends, FastAPI
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from backend import __version__
from backend.api import health
from backend.api.admin import audit, catalogue, sources, stats, tuning
from backend.api.deps import refuse_nul
from backend.api.developer import replay, runs
from backend.api.problems import install_problems
from backend.api.public import afterwards, itineraries
from backend.api.responses import document_problems, list_schemas
from backend.bootstrap import open_services
from backend.console.app import GuardHeaders, create_console
from backend.console.guide import create_guide
from backend.pool.plan_request import PlanRequest
from backend.runs.life.asking import AnswersRequest, TextRequest
from backend.runs.revising.revision import RevisionRequest
from backend.settings import Settings
from backend.sources.spec import Source

_DESCRIPTION = (
    "Ask for an itinerary, watch it being made, tune and replay. Errors are problem documents"
    " (RFC 9457) with a stable `code`; lists are `{items, next_cursor}`, newest first."
)


ROUTERS = (
    itineraries.router,
    afterwards.router,
    tuning.router,
    sources.router,
    audit.router,
    catalogue.router,
    stats.router,
    runs.router,
    replay.router,
)
"""By audience: user, admin, developer."""

BODIES: tuple[type[BaseModel], ...] = (
    PlanRequest,
    TextRequest,
    AnswersRequest,
    RevisionRequest,
    tuning.ParamChange,
    tuning.ToolChange,
    tuning.Revert,
    stats.PoolTrial,
    *catalogue.CHANGES.values(),
    replay.ReplayRequest,
    afterwards.Feedback,
    Source,
    sources.SourceChange,
    sources.Trial,
)
"""What is read from bodies; no signature names them."""


def create_app(settings: Settings, url: str) -> FastAPI:
    """The application on a database that is up; it works on the queue too unless told not to."""

    console = create_console()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_services(settings, url) as services:
            app.state.services = console.state.services = services
            worker = asyncio.create_task(services.work()) if settings.api_worker else None
            try:
                yield
            finally:
                if worker is not None:
                    worker.cancel()
                    await asyncio.gather(worker, return_exceptions=True)

    app = FastAPI(
        title="Waypool",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=lifespan,
        redoc_url=None,
        docs_url=None,
        dependencies=[Depends(refuse_nul)],
        generate_unique_id_function=lambda route: route.name,
    )
    # Event streams are left as they are: each event goes out at once.
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=6)
    install_problems(app)
    app.include_router(health.router, responses=document_problems())
    for router in ROUTERS:
        app.include_router(router, prefix="/v1", responses=document_problems(401, 403))
    app.mount("/console", GuardHeaders(console))
    app.mount("/guide", GuardHeaders(create_guide()))
    app.openapi = lambda: _make_openapi(app)  # type: ignore[method-assign]
    return app


def _make_openapi(app: FastAPI) -> dict[str, Any]:
    """The schema, with the request document that Waypool checks by itself."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
        )
        own = list_schemas(BODIES)
        schemas = schema["components"]["schemas"]
        schema["components"]["schemas"] = {**own, **schemas}
        _drop_guesses(schema)
        app.openapi_schema = schema
    return app.openapi_schema


def _drop_guesses(schema: dict[str, Any]) -> None:
    """Keep the documents of answers alone: FastAPI adds what it reads off the signature."""
    operations = (op for path in schema["paths"].values() for op in path.values())
    for response in (r for operation in operations for r in operation["responses"].values()):
        for content in response.get("content", {}).values():
            if reference := content["schema"].get("$ref"):
                content["schema"] = {"$ref": reference}
