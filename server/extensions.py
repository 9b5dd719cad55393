"""Loads an operator's own Python: the modules and the class that GEOAGENT_TOOLS and GEOAGENT_AGENT name."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from agents.core.tools.toolbox import ToolBox
from agents.geo_agent import GeoAgent


class BadExtension(Exception):
    """A setting names something that cannot be used; the message says which and what it has to be."""


def own_tools(modules: Sequence[str]) -> ToolBox:
    """The tools of these modules. Raises BadExtension for one that does not exist."""
    return ToolBox.gather(*(_module("GEOAGENT_TOOLS", name) for name in modules))


def agent_class(name: str | None) -> type[GeoAgent]:
    """`GeoAgent`, or its subclass that `module:Class` names. Raises BadExtension."""
    if name is None:
        return GeoAgent
    module, _, attribute = name.partition(":")
    found = getattr(_module("GEOAGENT_AGENT", module), attribute, None)
    if not isinstance(found, type) or not issubclass(found, GeoAgent):
        raise BadExtension(
            f"GEOAGENT_AGENT: {name!r} is not a subclass of agents.geo_agent.GeoAgent. "
            "Name it as module:Class, for example parks:ParksAgent."
        )
    return found


def _module(setting: str, name: str) -> ModuleType:
    if os.getcwd() not in sys.path:  # sys.path of an installed command starts with the command's folder
        sys.path.append(os.getcwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # one that the module itself imports
        raise BadExtension(
            f"{setting}: there is no module {name!r} in the current folder or on Python's path (PYTHONPATH)."
        ) from None
    except ValueError:
        raise BadExtension(f"{setting}: {name!r} is not the name of a module.") from None
