"""Which place is meant by a name: one that is called so as a whole, and by far the best known of those.

`Lake Geneva` is never an airfield of that name's beginning, and where several places of a name are about as well known
the person is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain import Place
from agents.offline.language.vocabulary import RESULTS
from agents.offline.language.words import fold
from agents.offline.meaning.place_names import SAME_PLACE
from agents.offline.meaning.scene import Ask, Refuse, Scene

MAX_CANDIDATES = 12
MAX_OFFERED = 4
CONTINENTS = frozenset(
    ("Africa", "Antarctica", "Asia", "Europe", "North America", "Oceania", "South America")
)
"""Left out of the names of places."""
BETTER_KNOWN = 4.0
"""Times the people of the next place of that name that make a place the one that is meant."""


async def place_meant(scene: Scene, text: str, table: str | None = None) -> Place:
    """`table`: only its rows may be meant.

    Raises Refuse where no place is called so as a whole, Ask where several may be meant.
    """
    name, _, hint = text.partition(",")
    places: list[Place] = []
    for form in _forms(name.strip()):
        asked = f"{form},{hint}" if hint.strip() else form
        found = await scene.data.find_place(asked, limit=MAX_CANDIDATES)
        # Results of analyses repeat the rows that they were made from, those of this very analysis among them.
        own = [each for each in found if not each.table.startswith(f"{RESULTS}.")]
        places = [each for each in own if each.whole and table in (None, each.table)]
        if places:
            break
    if not places:
        near = [each.name for each in await scene.data.find_place(text, limit=3)]
        alike = f"The nearest names are {', '.join(dict.fromkeys(near))}." if near else ""
        raise Refuse(
            f"no table and no place is called “{text}”", alike or f"There are {scene.some_tables()}."
        )
    first, *others = places
    rivals = [each for each in others if _rivals(first, each)]
    if not rivals:
        return first
    options = list(dict.fromkeys(full_name(each) for each in (first, *rivals)))[:MAX_OFFERED]
    if len(options) == 1:
        raise Ask(
            f"Which {first.name} do you mean? There are {len(rivals) + 1} called so; select one on the map.",
            options,
        )
    question = f"Which {first.name} do you mean: {'; '.join(options[:-1])}; or {options[-1]}?"
    chosen = scene.choose(options, question, text)
    return next(each for each in (first, *rivals) if full_name(each) == chosen)


def full_name(place: Place) -> str:
    """`Paris, France`: with where it lies, as far as that is known."""
    parts = [part.strip() for part in place.detail.partition(";")[0].split(",")]
    where = ", ".join(
        part for part in parts if part and not part.startswith("population") and part not in CONTINENTS
    )
    return f"{place.name}, {where}" if where else f"{place.name} ({place.kind})"


def _rivals(first: Place, other: Place) -> bool:
    """Whether the other one may be meant as well: not the capital within its country, and not much less known."""
    west, south, east, north = first.bounds
    within = south <= other.latitude <= north and (
        west <= other.longitude <= east if west <= east else not east < other.longitude < west
    )
    if within and other.kind != first.kind:
        return False
    if first.population and not other.population:
        return False
    return (first.population or 0) < BETTER_KNOWN * (other.population or 0) or not first.population


def _forms(name: str) -> Sequence[str]:
    bare = name[4:] if name.lower().startswith("the ") else name
    others = [form for names in SAME_PLACE if fold(bare) in map(fold, names) for form in names]
    return list(dict.fromkeys([name, bare, *others]))
