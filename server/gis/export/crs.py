"""Names and definitions of the coordinate reference systems of exported files."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.worded import Template
from server.gis.errors import GisError, faults_about
from server.gis.expressions.identifiers import WGS84

NO_CRS = Template("export_no_crs", "{text} names no coordinate reference system. An example is EPSG:2154.")
UNKNOWN_CRS = Template("export_unknown_crs", "{what} is not known to this database (spatial_ref_sys).")


class UnknownCrs(GisError):
    """The requested reference system is not in PROJ's database."""

    code = "invalid_payload"


@dataclass(frozen=True)
class Crs:
    """A row of `spatial_ref_sys`."""

    srid: int
    authority: str = ""
    code: int = 0
    definition: str = ""
    """WKT."""

    @property
    def is_lonlat(self) -> bool:
        """Whether coordinates are longitude and latitude on WGS 84 (EPSG:4326)."""
        return self.srid == WGS84

    @property
    def name(self) -> str:
        """`EPSG:2154`."""
        return f"{self.authority}:{self.code}" if self.authority and self.code else f"SRID:{self.srid}"

    @property
    def urn(self) -> str:
        """The OGC URN, as GeoJSON and GeoParquet name reference systems."""
        if self.is_lonlat:
            return "urn:ogc:def:crs:OGC:1.3:CRS84"
        return f"urn:ogc:def:crs:{self.authority}::{self.code}"

    @property
    def uri(self) -> str:
        """The value of the header `Content-Crs`."""
        if self.is_lonlat:
            return "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
        return f"http://www.opengis.net/def/crs/{self.authority}/0/{self.code}"

    @property
    def for_gdal(self) -> str:
        """Text that GDAL reads as this system: a name it knows, else WKT."""
        return self.name if self.authority in ("EPSG", "ESRI") else self.definition

    def projjson(self) -> dict[str, Any]:
        """PROJJSON, as GeoParquet holds it; coordinates there are x, y, regardless of the order of the axes."""
        import pyproj  # opens a database file, which few requests need

        known = pyproj.CRS.from_user_input("OGC:CRS84" if self.is_lonlat else self.for_gdal)
        document: dict[str, Any] = json.loads(known.to_json())
        return document


LONLAT = Crs(WGS84, "EPSG", WGS84)


async def crs_of(engine: AsyncEngine, srid: int) -> Crs:
    """The system with this SRID. Raises UnknownCrs."""
    return await _found(engine, "srid = :code", {"code": srid}, f"SRID {srid}")


async def crs_named(engine: AsyncEngine, text: str) -> Crs:
    """The system with a name such as `EPSG:2154`, `2154` or `OGC:CRS84`. Raises UnknownCrs."""
    if text.strip().upper() in ("OGC:CRS84", "CRS84"):
        return LONLAT
    match = re.fullmatch(r"(?:(EPSG|ESRI):)?(\d{1,6})", text.strip(), re.IGNORECASE | re.ASCII)
    if match is None:
        raise UnknownCrs(NO_CRS(text=repr(text[:40])))
    parameters = {"authority": (match[1] or "EPSG").upper(), "code": int(match[2])}
    return await _found(
        engine, "upper(auth_name) = :authority AND auth_srid = :code", parameters, f"{text[:40]!r}"
    )


async def _found(engine: AsyncEngine, condition: str, parameters: dict[str, Any], what: str) -> Crs:
    query = sa.text(
        f"SELECT srid, auth_name, auth_srid, srtext FROM spatial_ref_sys WHERE {condition} LIMIT 1"  # noqa: S608 - ours
    )
    with faults_about("the coordinate reference systems"):
        async with engine.connect() as connection:
            row = (await connection.execute(query, parameters)).one_or_none()
    if row is None:
        raise UnknownCrs(UNKNOWN_CRS(what=what))
    return Crs(row.srid, (row.auth_name or "").upper(), row.auth_srid or 0, row.srtext or "")
