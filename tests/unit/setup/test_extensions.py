"""Modules and classes of the person who runs the server, as GEOAGENT_TOOLS and GEOAGENT_AGENT name them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.geo_agent import GeoAgent
from server.extensions import BadExtension, agent_class, own_tools

MODULE = "extension_of_a_test"
SOURCE = '''
from agents.core import tool
from agents.geo_agent import GeoAgent


class ParksAgent(GeoAgent):
    pass


@tool
def opening_hours() -> str:
    """Tell when the parks open."""
    return "5:30"
'''


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A module in the current folder, which is not on Python's path, as for an installed command."""
    (tmp_path / f"{MODULE}.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    yield
    sys.modules.pop(MODULE, None)


def test_tools_and_agents_are_found_in_the_current_folder() -> None:
    assert [tool.name for tool in own_tools([MODULE])] == ["opening_hours"]
    found = agent_class(f"{MODULE}:ParksAgent")
    assert (found.__name__, issubclass(found, GeoAgent)) == ("ParksAgent", True)
    assert agent_class(None) is GeoAgent


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no_such_module:Agent", "there is no module 'no_such_module' in the current folder"),
        (f"{MODULE}:Nobody", "is not a subclass of agents.geo_agent.GeoAgent"),
        (f"{MODULE}:opening_hours", "is not a subclass of agents.geo_agent.GeoAgent"),
        (MODULE, "Name it as module:Class"),
    ],
)
def test_what_is_no_agent_is_refused_and_named(name: str, said: str) -> None:
    with pytest.raises(BadExtension, match="GEOAGENT_AGENT") as refused:
        agent_class(name)
    assert said in str(refused.value)


def test_a_module_of_tools_that_does_not_exist_is_named() -> None:
    with pytest.raises(BadExtension, match=r"GEOAGENT_TOOLS: there is no module 'no\.such'"):
        own_tools(["no.such"])
