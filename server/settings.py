"""All settings, as environment variables, with their defaults. Read once, at start, by `server/app.py`.

Field names are for code (`Settings(port=0)`), the upper-case aliases are the variables. An empty variable
counts as unset. Secrets are `SecretStr`: they print as asterisks."""

from __future__ import annotations

import json
import re
from functools import cached_property
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    field_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from server.connection_budget import MIN_CONNECTIONS

OWN_SCHEMAS = ("data", "analysis", "public")
"""Schemas whose tables users and models may always read."""


def _listed(value: object) -> object:
    """`a, b` as `("a", "b")`."""
    if isinstance(value, str):
        return tuple(part for part in (piece.strip() for piece in value.split(",")) if part)
    return value


def _named(variable: str) -> AliasChoices:
    return AliasChoices(variable)


def _from_json(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise ValueError("it is not JSON") from None


def _spark_address(address: str) -> str:
    if not re.fullmatch(r"sc://[A-Za-z0-9.\-]{1,253}:\d{1,5}", address):
        # The part after the port may hold a token, which Spark's configuration reads.
        raise ValueError("an address like sc://127.0.0.1:15002 is expected")
    return address


def _web_address(address: str) -> str:
    if origin_of(address) is None:
        raise ValueError(f"{address!r} is not an address that begins with http:// or https:// and a host")
    return address


def _web_origins(origins: tuple[str, ...]) -> tuple[str, ...]:
    """Without trailing slashes, as browsers send them."""
    found = tuple(origin.rstrip("/") for origin in origins)
    for origin in found:
        if not re.fullmatch(r"\*|https?://([A-Za-z0-9.*\-]{1,253}|\[[0-9A-Fa-f:]+\])(:\d{1,5})?", origin):
            raise ValueError(f"{origin!r} is not a web origin such as https://maps.example.org")
    return found


def _network(text: str) -> str:
    try:
        ip_network(text, strict=False)
    except ValueError:
        raise ValueError(f"{text!r} is not an IP address or a network such as 10.0.0.0/8") from None
    return text


def _host_and_port(address: str) -> str:
    if address in ("", "off"):
        return ""
    if not re.fullmatch(r"(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9.\-]+):\d{1,5}", address):
        raise ValueError(f"{address!r} is not an address and port, as in 127.0.0.1:9464")
    return address


Listed = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]
WebOrigins = Annotated[Listed, AfterValidator(_web_origins)]


def _absolute(folders: tuple[Path, ...]) -> tuple[Path, ...]:
    for folder in folders:
        if not folder.is_absolute():
            raise ValueError(f"{str(folder)!r} is not an absolute path such as /srv/lake")
    return folders


class Basemap(BaseModel):
    """A base map to choose from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, max_length=40)
    url: Annotated[str, AfterValidator(_web_address)]
    attribution: str | None = None


class Settings(BaseSettings):
    """The settings of a server, read from environment variables."""

    model_config = SettingsConfigDict(
        env_ignore_empty=True, case_sensitive=True, extra="ignore", frozen=True, populate_by_name=True
    )

    host: str = Field("127.0.0.1", validation_alias=_named("HOST"))
    """Address to listen on; `0.0.0.0` is every interface."""
    port: int = Field(8080, ge=0, le=65535, validation_alias=_named("PORT"))
    """Port to listen on; 0 takes a free one."""
    database_url: SecretStr | None = Field(None, validation_alias=_named("DATABASE_URL"))
    """A PostGIS of your own. Without it a private cluster is made under `home`."""
    home: Path | None = Field(None, validation_alias=_named("GEOAGENT_HOME"))
    """Folder of the private cluster and of unpacked packages. None: below `/var/lib/geoagent` for root, else in the
    user's folders for data and caches."""
    schemas: Listed = Field((), validation_alias=_named("GEOAGENT_SCHEMAS"))
    """Further schemas to read tables from, separated by commas, besides `data`, `analysis` and `public`."""
    samples: bool = Field(True, validation_alias=_named("GEOAGENT_SAMPLES"))
    """Load countries, cities and airports into an empty `data` schema."""

    model: str = Field("offline", validation_alias=_named("GEOAGENT_MODEL"))
    """`offline`, or `provider:model` as in `openai:gpt-5.1`. Unset, with an OpenAI key, it is `openai:gpt-5.1`."""
    openai_api_key: SecretStr | None = Field(None, validation_alias=_named("OPENAI_API_KEY"))
    """Key for OpenAI's models."""
    openai_base_url: str | None = Field(None, validation_alias=_named("OPENAI_BASE_URL"))
    """Address of another server with OpenAI's Responses API."""

    embeddings: str | None = Field(None, validation_alias=_named("GEOAGENT_EMBEDDINGS"))
    """Embedding model that ranks tables by meaning in searches, for example `openai:text-embedding-3-small`,
    `ollama:nomic-embed-text`, or, in the server's process, `wordllama:l2_supercat_256` and `model2vec:/path`. It
    receives the names and comments of tables and columns, and the search text (docs/data.md). None: only words are
    compared."""

    sql: bool = Field(False, validation_alias=_named("GEOAGENT_SQL"))
    """`on` lets the agent run SELECT statements that the model writes, with the safeguards of docs/sql.md."""
    tools: Listed = Field((), validation_alias=_named("GEOAGENT_TOOLS"))
    """Modules whose tools the agent gets in addition to its own, separated by commas (docs/agents.md)."""

    agent: str | None = Field(None, validation_alias=_named("GEOAGENT_AGENT"))
    """A subclass of GeoAgent that answers in its place, as `module:Class` (docs/agents.md)."""

    basemap_style: str | None = Field(None, validation_alias=_named("GEOAGENT_BASEMAP_STYLE"))
    """URL of a MapLibre style, of a PMTiles archive, or of raster tiles with {z}, {x} and {y} in it. None: the
    built-in offline base map."""
    basemaps: Annotated[tuple[Basemap, ...], NoDecode, BeforeValidator(_from_json)] = Field(
        (), validation_alias=_named("GEOAGENT_BASEMAPS")
    )
    """Further base maps to choose from, as JSON: `[{"name": "Satellite", "url": "https://...", "attribution":
    "..."}]`, with addresses as above. Each user chooses one; the built-in one is always available."""
    basemap_origins: Listed = Field((), validation_alias=_named("GEOAGENT_BASEMAP_ORIGINS"))
    """Further web origins that the base map's style loads tiles, fonts and images from, separated by commas."""
    basemap_attribution: str | None = Field(None, validation_alias=_named("GEOAGENT_BASEMAP_ATTRIBUTION"))
    """The attribution of a base map of raster tiles or PMTiles, as text."""
    origins: WebOrigins = Field((), validation_alias=_named("GEOAGENT_ORIGINS"))
    """Other web origins that may connect, separated by commas. Its own origin always may."""
    trusted_proxies: Annotated[
        tuple[Annotated[str, AfterValidator(_network)], ...], NoDecode, BeforeValidator(_listed)
    ] = Field((), validation_alias=_named("GEOAGENT_TRUSTED_PROXIES"))
    """Networks of reverse proxies, such as `127.0.0.1, 10.0.0.0/8`, separated by commas. Only from these are
    `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Forwarded-Host` trusted (docs/deployment.md)."""
    embed_origins: WebOrigins = Field((), validation_alias=_named("GEOAGENT_EMBED_ORIGINS"))
    """Web origins whose pages may show view links of maps in a frame, separated by commas; `*` is any. The
    link of a map itself is never shown in a frame of another origin."""
    statement_timeout: float = Field(
        30.0, gt=0, le=3600, validation_alias=_named("GEOAGENT_STATEMENT_TIMEOUT")
    )
    """Seconds after which PostgreSQL ends a query of a model or a user."""
    tile_timeout: float = Field(10.0, gt=0, le=3600, validation_alias=_named("GEOAGENT_TILE_TIMEOUT"))
    """Seconds after which PostgreSQL ends the query of a tile."""
    tile_points: int = Field(50_000, ge=1000, le=200_000, validation_alias=_named("GEOAGENT_TILE_POINTS"))
    """Points that one tile draws at most; the panel says how many it leaves out. A full tile takes about 0.5 MB: more
    make slow networks and browsers wait, fewer leave out more of dense places."""
    tile_shapes: int = Field(20_000, ge=1000, le=200_000, validation_alias=_named("GEOAGENT_TILE_SHAPES"))
    """Lines and areas that one tile draws at most, the largest first: each takes more time and bytes than a point."""
    connections: int = Field(30, ge=MIN_CONNECTIONS, le=1000, validation_alias=_named("GEOAGENT_CONNECTIONS"))
    """Connections that this server opens to PostgreSQL at most, divided among kinds of work (docs/deployment.md).
    The sum over all servers must stay below PostgreSQL's `max_connections`."""
    turns: int = Field(16, ge=1, le=1000, validation_alias=_named("GEOAGENT_TURNS"))
    """Turns that this server works on at once; one map never has more than one."""
    turns_per_address: int = Field(12, ge=1, le=1000, validation_alias=_named("GEOAGENT_TURNS_PER_ADDRESS"))
    """Turns of one network address that this server works on at once: the rest of `GEOAGENT_TURNS` stays free for
    other addresses, however slow the model is."""
    turn_timeout: float | None = Field(None, gt=0, le=86400, validation_alias=_named("GEOAGENT_TURN_TIMEOUT"))
    """Seconds that one turn may take, without approvals and analyses. None: 300, or what the class of `GEOAGENT_AGENT`
    says. A model on a slow machine may need longer."""
    reply_characters: int = Field(200_000, ge=1000, validation_alias=_named("GEOAGENT_REPLY_CHARACTERS"))
    """Characters that one reply of the model may have, arguments of calls included; a longer one ends its turn."""
    waiting_turns: int = Field(400, ge=1, le=100_000, validation_alias=_named("GEOAGENT_WAITING_TURNS"))
    """Messages that may wait for an answer, on all maps and servers; more are refused as `busy`. With 16 turns
    at once of a second each, the last of 400 waits less than half a minute, and users wait no longer."""
    waiting_turns_per_address: int = Field(
        40, ge=1, le=100_000, validation_alias=_named("GEOAGENT_WAITING_TURNS_PER_ADDRESS")
    )
    """Messages from one network address that may wait. Beyond them it may still have one on each further map, up to
    half of `GEOAGENT_WAITING_TURNS`, because a school or an office shares one address."""
    upload_size: float = Field(512.0, gt=0, validation_alias=_named("GEOAGENT_UPLOAD_SIZE"))
    """Megabytes that an uploaded file may have."""
    upload_rows: int = Field(
        20_000_000, ge=1000, le=2_000_000_000, validation_alias=_named("GEOAGENT_UPLOAD_ROWS")
    )
    """Rows that one layer of an uploaded file may have: so many take minutes to load, and some gigabytes."""
    upload_vertices: int = Field(1_000_000, ge=1000, validation_alias=_named("GEOAGENT_UPLOAD_VERTICES"))
    """Vertices that one shape of an upload may have, because PostGIS cannot be interrupted within a shape; shapes with
    more are refused, or cut into pieces where the upload asks for it (`subdivide`)."""
    upload_timeout: float = Field(900.0, gt=0, le=86400, validation_alias=_named("GEOAGENT_UPLOAD_TIMEOUT"))
    """Seconds that loading a received upload may take, and each of its statements."""
    upload_memory: float = Field(2048.0, ge=512, validation_alias=_named("GEOAGENT_UPLOAD_MEMORY"))
    """Megabytes of memory for the process that reads an upload; two run at once."""
    upload_quota: float = Field(8192.0, ge=0, validation_alias=_named("GEOAGENT_UPLOAD_QUOTA"))
    """Megabytes that uploads from one network address may take in the database; 0 means no limit."""
    upload_space: float = Field(51200.0, ge=0, validation_alias=_named("GEOAGENT_UPLOAD_SPACE"))
    """Megabytes that all uploads together may take in the database; 0 means no limit."""
    share_uploads: bool = Field(False, validation_alias=_named("GEOAGENT_SHARE_UPLOADS"))
    """Show every upload to all maps at once. Without it, only the map that it was uploaded to shows it until a user
    there shares it."""
    spool: float = Field(8192.0, gt=0, validation_alias=_named("GEOAGENT_SPOOL"))
    """Megabytes in the system's temporary folder for uploads and exports in progress; never more than half of what is
    free there at the start."""
    export_rows: int = Field(
        2_000_000, ge=1000, le=1_000_000_000, validation_alias=_named("GEOAGENT_EXPORT_ROWS")
    )
    """Rows that a file of GeoPackage, FlatGeobuf, GeoParquet, Shapefile, KML or Excel may have; larger exports are
    refused, because such files are written whole before they are sent. GeoJSON and CSV have no limit of rows."""
    export_hours: float = Field(24.0, gt=0, le=8760, validation_alias=_named("GEOAGENT_EXPORT_HOURS"))
    """Hours for which the link to an exported file works."""
    idle_timeout: float = Field(30.0, gt=0, le=3600, validation_alias=_named("GEOAGENT_IDLE_TIMEOUT"))
    """Seconds after which an HTTP connection without a request, or with incomplete headers, is closed. A reverse proxy
    must keep idle connections for a shorter time."""
    analyses: int = Field(4, ge=1, le=100, validation_alias=_named("GEOAGENT_ANALYSES"))
    """Steps of analyses that this server runs at once, of which each takes a connection (GEOAGENT_CONNECTIONS); more
    wait. One map never has more than one."""
    analysis_timeout: float = Field(
        600.0, gt=0, le=86400, validation_alias=_named("GEOAGENT_ANALYSIS_TIMEOUT")
    )
    """Seconds after which PostgreSQL ends a statement of an analysis; one that stores a long step at once has up to 40
    times as long."""
    analysis_cost: float = Field(2e11, gt=0, validation_alias=_named("GEOAGENT_ANALYSIS_COST"))
    """What a step of an analysis may cost by PostgreSQL's own estimate (docs/analysis.md); a step above it is not
    started."""
    analysis_pairs: float = Field(5e8, gt=0, validation_alias=_named("GEOAGENT_ANALYSIS_PAIRS"))
    """Pairs of features that a step may compare, by an estimate of how many are near each other; a step above it is not
    started."""
    result_rows: int = Field(10_000_000, ge=1, validation_alias=_named("GEOAGENT_RESULT_ROWS"))
    """Rows that a step of an analysis may make."""
    result_space: float = Field(4096.0, gt=0, validation_alias=_named("GEOAGENT_RESULT_SPACE"))
    """Megabytes that the results of one map may take."""
    profile_share: float = Field(0.5, ge=0, le=1, validation_alias=_named("GEOAGENT_PROFILE_SHARE"))
    """Share of the time that one background connection of this server may spend on counting tables that are on maps and
    on building their overviews (docs/large-tables.md): at a half, it rests after each piece of work as long as that
    took. With 0 the numbers of large layers stay estimates, and large tables are drawn as samples."""
    large_table: int = Field(1_000_000, ge=1000, validation_alias=_named("GEOAGENT_LARGE_TABLE"))
    """A layer without a filter that has at least this many rows appears at once with estimated numbers, and exact ones
    replace them later. Users hardly notice the time in which a million rows are counted. Histograms of its columns, as
    time sliders have, are of a sample."""
    overview_rows: int = Field(20_000, ge=1000, validation_alias=_named("GEOAGENT_OVERVIEW_ROWS"))
    """A table on an open map that has at least this many rows gets overviews for low zoom levels
    (docs/large-tables.md). Tiles of smaller tables hold so few rows that all of them are drawn."""
    overview_filters: int = Field(4, ge=1, le=100, validation_alias=_named("GEOAGENT_OVERVIEW_FILTERS"))
    """Limit for the filters of one table that have separate overviews; with other broad filters, it is drawn as a
    sample. Each takes disk space, and time when rows change."""
    overview_share: float = Field(0.2, ge=0, le=1, validation_alias=_named("GEOAGENT_OVERVIEW_SHARE"))
    """Part of a table's size on disk that its overviews may take; less makes them coarser. 0 builds none."""
    overview_space: float = Field(20480.0, ge=0, validation_alias=_named("GEOAGENT_OVERVIEW_SPACE"))
    """Megabytes that all overviews together may take in the database; no more are built beyond that."""
    trigger_schemas: Listed = Field((), validation_alias=_named("GEOAGENT_TRIGGER_SCHEMAS"))
    """Further schemas, besides `data`, whose tables get triggers when overviews of them are built, separated by commas:
    then only the parts of overviews are computed again whose rows have changed (docs/large-tables.md). Tables elsewhere
    may be other programs', which would find the triggers in their dumps."""
    spark: Annotated[str, AfterValidator(_spark_address)] | None = Field(
        None, validation_alias=_named("GEOAGENT_SPARK")
    )
    """Spark Connect server for steps that are too expensive for PostGIS, as `sc://host:port` (docs/spark.md)."""
    spark_folder: Path | None = Field(None, validation_alias=_named("GEOAGENT_SPARK_FOLDER"))
    """Folder for rows in transit, which this server and all of Spark's machines see under the same path. None: a folder
    in the user's cache, for Spark on this machine."""
    spark_timeout: float = Field(1500.0, gt=0, le=86400, validation_alias=_named("GEOAGENT_SPARK_TIMEOUT"))
    """Seconds that one step may take on Spark."""
    lake_paths: Annotated[tuple[Path, ...], NoDecode, BeforeValidator(_listed), AfterValidator(_absolute)] = (
        Field((), validation_alias=_named("GEOAGENT_LAKE_PATHS"))
    )
    """Folders that Parquet files of lake tables may be read from, separated by commas (docs/lake.md). Files anywhere
    else are refused, symbolic links to them included."""
    lake_addresses: Listed = Field((), validation_alias=_named("GEOAGENT_LAKE_ADDRESSES"))
    """Addresses below which lake tables may be registered, separated by commas: `s3://bucket/folder`,
    `gs://bucket/folder`, `https://host/folder` (docs/lake.md). No other addresses are contacted."""
    lake_copies: Path | None = Field(None, validation_alias=_named("GEOAGENT_LAKE_COPIES"))
    """Folder for copies of files at addresses that cannot be read in place: those of steps on Spark, and those of web
    servers that send whole files only. This server and all of Spark's machines see it under the same path. None: such
    steps and servers are refused."""
    lake_results: Path | None = Field(None, validation_alias=_named("GEOAGENT_LAKE_RESULTS"))
    """Folder for results of Spark with more rows than `GEOAGENT_RESULT_ROWS`, which stay GeoParquet as lake tables.
    This server and all of Spark's machines see it under the same path. None: such results are refused."""
    lake_space: float = Field(51200.0, ge=0, validation_alias=_named("GEOAGENT_LAKE_SPACE"))
    """Megabytes that all results in `GEOAGENT_LAKE_RESULTS` together may take, and all of `GEOAGENT_LAKE_COPIES`."""
    grace: float = Field(20.0, ge=0, le=3600, validation_alias=_named("GEOAGENT_GRACE"))
    """Seconds that running turns have to finish after SIGTERM; a second signal ends them at once."""
    rate: float = Field(1.0, ge=0, le=1000, validation_alias=_named("GEOAGENT_RATE"))
    """How fast one connection may send requests, and how many connections a network address may have: 2 is twice the
    usual rates, 0 means no limit."""
    http_rate: float = Field(250.0, ge=0, le=100_000, validation_alias=_named("GEOAGENT_HTTP_RATE"))
    """HTTP requests per second that one network address may send, with bursts of ten times as many; both are multiplied
    by `GEOAGENT_RATE`. More are answered 429 with `Retry-After`. 0 means no limit. Health checks have a separate rate,
    10 a second."""
    embedding_searches: float = Field(
        120.0, ge=0, le=100_000, validation_alias=_named("GEOAGENT_EMBEDDING_SEARCHES")
    )
    """Searches in the list of tables per minute of one network address where `GEOAGENT_EMBEDDINGS` ranks them, because
    providers charge for each; more are answered 429 with `Retry-After`. 0 means no limit."""
    chart_space: float = Field(64.0, gt=0, le=100_000, validation_alias=_named("GEOAGENT_CHART_SPACE"))
    """Megabytes that the data of all charts of one map may take in the database, with all their earlier versions,
    which undo and *History* bring back."""
    metrics: Annotated[str, AfterValidator(_host_and_port)] = Field(
        "127.0.0.1:9464", validation_alias=_named("GEOAGENT_METRICS")
    )
    """Separate address and port that metrics for Prometheus are served at, as `/metrics`; `off` serves none."""
    metrics_token: SecretStr | None = Field(None, validation_alias=_named("GEOAGENT_METRICS_TOKEN"))
    """With a token, `/metrics` is served at the server's own address, too, to clients that send it as
    `Authorization: Bearer`."""
    trace_content: bool = Field(False, validation_alias=_named("GEOAGENT_TRACE_CONTENT"))
    """Record messages and tool arguments in OpenTelemetry spans, too; without it, spans have neither."""
    log_level: str = Field("WARNING", validation_alias=_named("GEOAGENT_LOG_LEVEL"))
    """`DEBUG`, `INFO`, `WARNING` or `ERROR`; the log goes to standard error."""

    @field_validator("basemap_style", "basemap_origins")
    @classmethod
    def _on_the_web(cls, value: str | tuple[str, ...] | None) -> str | tuple[str, ...] | None:
        for address in (value,) if isinstance(value, str) else value or ():
            _web_address(address)
        return value

    @property
    def registers_lake_tables(self) -> bool:
        """Whether any dataset may be registered."""
        return bool(self.lake_paths or self.lake_addresses)

    @property
    def offered_basemaps(self) -> tuple[Basemap, ...]:
        """The base maps besides the built-in one, the default first."""
        style = self.basemap_style
        if style is None:
            return self.basemaps
        name = urlsplit(style).netloc[:40]
        return (Basemap(name=name, url=style, attribution=self.basemap_attribution), *self.basemaps)

    @property
    def foreign_origins(self) -> tuple[str, ...]:
        """The origins besides this server that browsers may load the base map from."""
        return tuple(dict.fromkeys(filter(None, map(origin_of, self._basemap_addresses))))

    @property
    def _basemap_addresses(self) -> tuple[str, ...]:
        style = (self.basemap_style,) if self.basemap_style else ()
        return (*style, *(basemap.url for basemap in self.basemaps), *self.basemap_origins)

    @cached_property
    def exposed_schemas(self) -> tuple[str, ...]:
        """All schemas whose tables may be read, each once."""
        return tuple(dict.fromkeys((*OWN_SCHEMAS, *self.schemas)))

    @property
    def chosen_model(self) -> str:
        """`model` where it was set; else OpenAI's when there is a key, else `offline`."""
        if "model" in self.model_fields_set or self.openai_api_key is None:
            return self.model
        return "openai:gpt-5.1"


def origin_of(url: str | None) -> str | None:
    """`https://tiles.example:8443` of an address there; None of what is not a web address."""
    match = re.match(r"https?://[A-Za-z0-9.\-]{1,253}(:\d{1,5})?(?=[/?#]|$)", url or "")
    return match.group() if match else None


def display_url(host: str, port: int) -> str:
    """The address to show to users: a wildcard host is shown as loopback, IPv6 in brackets."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104 - shown, not bound
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"
