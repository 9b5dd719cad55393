"""Settings from environment variables."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from server.settings import Settings, display_url


def test_without_any_variable_it_serves_on_loopback_with_the_offline_model() -> None:
    settings = Settings()
    assert (settings.host, settings.port) == ("127.0.0.1", 8080)
    assert settings.chosen_model == "offline"
    assert settings.database_url is None
    assert settings.exposed_schemas == ("data", "analysis", "public")
    assert settings.samples
    assert settings.sql is False


def test_variables_are_read_by_their_documented_names(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "HOST": "0.0.0.0",
        "PORT": "9000",
        "DATABASE_URL": "postgresql://u:secret@h/d",
        "GEOAGENT_HOME": "/somewhere",
        "GEOAGENT_SCHEMAS": "city, roads,data",
        "GEOAGENT_SAMPLES": "off",
        "GEOAGENT_SQL": "on",
        "GEOAGENT_ORIGINS": "https://a.example,https://b.example",
        "GEOAGENT_BASEMAP_STYLE": "https://tiles.example/style.json",
        "GEOAGENT_BASEMAPS": '[{"name": "Sea", "url": "https://sea.example/{z}/{x}/{y}.png"}]',
    }.items():
        monkeypatch.setenv(name, value)
    settings = Settings()
    assert (settings.host, settings.port, settings.home) == ("0.0.0.0", 9000, Path("/somewhere"))
    assert settings.exposed_schemas == ("data", "analysis", "public", "city", "roads")
    assert settings.origins == ("https://a.example", "https://b.example")
    assert settings.samples is False
    assert settings.sql is True
    assert settings.basemap_style == "https://tiles.example/style.json"
    assert [basemap.name for basemap in settings.offered_basemaps] == ["tiles.example", "Sea"]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("Sea", "it is not JSON"),
        ('[{"name": "Sea"}]', "Field required"),
        ('[{"name": "", "url": "http://a/"}]', "at least 1"),
    ],
)
def test_base_maps_that_cannot_be_read_are_reported(
    monkeypatch: pytest.MonkeyPatch, value: str, said: str
) -> None:
    monkeypatch.setenv("GEOAGENT_BASEMAPS", value)
    with pytest.raises(ValidationError, match=said):
        Settings()


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "OPENAI_API_KEY", "PORT", "GEOAGENT_MODEL", "GEOAGENT_SCHEMAS"):
        monkeypatch.setenv(name, "")
    settings = Settings()
    assert settings == Settings()
    assert settings.database_url is None
    assert settings.port == 8080
    assert settings.chosen_model == "offline"


def test_a_key_chooses_openai_unless_a_model_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    assert Settings().chosen_model.startswith("openai:")
    monkeypatch.setenv("GEOAGENT_MODEL", "offline")
    assert Settings().chosen_model == "offline"


def test_secrets_do_not_show() -> None:
    settings = Settings(openai_api_key="sk-secret", database_url="postgresql://u:hush@h/d")
    for shown in (repr(settings), str(settings), settings.model_dump_json()):
        assert "sk-secret" not in shown
        assert "hush" not in shown


@pytest.mark.parametrize(("field", "value"), [("port", 70000), ("port", "x"), ("statement_timeout", 0)])
def test_nonsense_is_refused(field: str, value: object) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({field: value})


@pytest.mark.parametrize("variable", ["GEOAGENT_ORIGINS", "GEOAGENT_EMBED_ORIGINS"])
def test_origins_are_taken_with_a_slash_behind_and_refused_where_no_page_has_them(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "https://maps.example/, http://[::1]:3000, *")
    settings = Settings()
    taken = settings.origins if variable == "GEOAGENT_ORIGINS" else settings.embed_origins
    assert taken == ("https://maps.example", "http://[::1]:3000", "*")
    for nonsense in ("maps.example", "https://maps.example/page", "ftp://maps.example"):
        monkeypatch.setenv(variable, nonsense)
        with pytest.raises(ValidationError, match="is not a web origin such as"):
            Settings()


def test_the_address_shown_is_one_that_a_browser_can_open() -> None:
    assert display_url("127.0.0.1", 8080) == "http://127.0.0.1:8080"
    assert display_url("0.0.0.0", 80) == "http://127.0.0.1:80"
    assert display_url("::", 8080) == "http://[::1]:8080"
    assert display_url("maps.example", 1) == "http://maps.example:1"
