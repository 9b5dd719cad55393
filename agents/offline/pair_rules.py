"""Rules for operations on two tables: `clip rivers to countries`, `subtract lakes from parcels`."""

from __future__ import annotations

from collections.abc import Sequence

from agents.offline.features import Features
from agents.offline.step_pieces import Rule, StepPieces
from agents.offline.steps import ColumnWords, NamedBy, Step, step

Pair = tuple[Features, Features]


class PairRules(StepPieces):
    def of_pairs(self) -> tuple[Rule, ...]:
        return (
            self.clip, self.intersection, self.subtract, self.difference, self.symmetric_difference, self.union,
            self.identity, self.merge, self.share_out, self.join, self.between_places, self.distances, self.changes,
        )  # fmt: skip

    def clip(self) -> Step | None:
        """`clip the roads to Germany's districts`, `clip them by the countries in Europe`."""
        if not self.cursor.take("clip", "cut", "crop"):
            return None
        found = self._two("to", "by", "with", "at", "to the inside of")
        return step("clip", found[0], ("mask", found[1])) if found else None

    def intersection(self) -> Step | None:
        """`intersect parcels with zones`, `the intersection of parcels and zones`."""
        if self.cursor.take("intersect", "overlay"):
            found = self._two("with", "and", "on", "by")
        else:
            found = self._noun("intersection of", "the intersection of", "overlap of", "the overlap of")
        return step("intersection", found[0], ("other", found[1])) if found else None

    def subtract(self) -> Step | None:
        """`subtract the lakes from the countries`, `cut the lakes out of the countries`."""
        if not self.cursor.take("subtract", "erase", "cut"):
            return None
        found = self._two("from", "out of")
        return step("difference", found[1], ("other", found[0])) if found else None

    def difference(self) -> Step | None:
        """`the difference of parcels and zones`: the parcels without the zones."""
        found = self._noun(
            "difference of", "the difference of", "difference between", "the difference between"
        )
        return step("difference", found[0], ("other", found[1])) if found else None

    def symmetric_difference(self) -> Step | None:
        found = self._noun(
            "symmetric difference of", "the symmetric difference of", "symmetric difference between"
        )
        return step("symmetric_difference", found[0], ("other", found[1])) if found else None

    def union(self) -> Step | None:
        """`the union of parcels and zones`: all pieces of both."""
        found = self._noun("union of", "the union of", "overlay union of")
        return step("union", found[0], ("other", found[1])) if found else None

    def identity(self) -> Step | None:
        """`the identity of parcels and zones`: the parcels, cut along the zones."""
        found = self._noun("identity of", "the identity of", "identity overlay of")
        return step("identity", found[0], ("other", found[1])) if found else None

    def merge(self) -> Step | None:
        """`merge parks with forests`, `append the airports to the cities`."""
        verb = self.cursor.take("merge", "combine", "unite", "append")
        found = self._two("with", "and", "to") if verb else None
        if found is None:
            return None
        first, second = reversed(found) if verb == "append" else found
        return Step("merge", (("sources", first), ("sources", second)))

    def share_out(self) -> Step | None:
        """`share out the population of countries over the hexagons`."""
        cursor = self.cursor
        if not cursor.take("share out", "distribute", "apportion", "spread"):
            return None
        column = self.column_words("other")
        other = self.given() if column is not None and cursor.take("of", "in") else None
        source = (
            self.given()
            if other is not None and cursor.take("over", "to", "among", "across", "onto")
            else None
        )
        if source is None or other is None or column is None:
            return None
        return step("weighted_overlap", source, ("other", other), column=column)

    def join(self) -> Step | None:
        """`join capitals to countries by iso_a2`, `join a with b on code = iso`."""
        cursor = self.cursor
        one = self.given(tail=False) if cursor.take("join") else None
        linked = cursor.take("to", "onto", "with", "and") if one is not None else None
        other = self.given(tail=False) if linked else None
        if one is None or other is None or not cursor.take("by", "on", "using"):
            return None
        kept, brought = (other, one) if linked in ("to", "onto") else (one, other)
        key = self.column_words("source", kept)
        other_key = self.column_words("other", brought) if cursor.take("=", "and", "with") else None
        if key is None:
            return None
        return step(
            "join_by_attribute",
            kept,
            ("other", brought),
            key=key,
            other_key=other_key or ColumnWords(key.text, "other"),
        )

    def distances(self) -> Step | None:
        """`distances between the capitals and the airports`."""
        self.opener()
        found = self._noun(
            "distances between", "distance matrix of", "distance matrix between", "distances from"
        )
        if found is None:
            return None
        return step(
            "distance_matrix", found[0], ("other", found[1]), name=NamedBy(), other_name=NamedBy("other")
        )

    def between_places(self) -> Step | None:
        """`distance between Berlin and Munich`, `how far is Paris from London`."""
        cursor = self.cursor
        self.cursor.take("what is the", "what's the", "show me the", "show the", "the")
        if cursor.take("how far is", "how far away is", "how far"):
            between: tuple[str, ...] = ("from", "to", "away from")
        elif cursor.take("distance between", "distance from", "distance of"):
            between = ("and", "to", "from")
        else:
            return None
        one = self._place_up_to(between)
        other = self._place_up_to(()) if one is not None else None
        if one is None or other is None:
            return None
        return step("distance_matrix", one, ("other", other), name=NamedBy(), other_name=NamedBy("other"))

    def _place_up_to(self, words: Sequence[str]) -> Features | None:
        """The name of a place up to one of the words, which is taken; without words to where a value ends."""
        cursor, start, end = self.cursor, self.cursor.at, self.cursor.end
        for place in range(start + 1, end) if words else (end,):
            cursor.at = place
            if words and not cursor.take(*words):
                continue
            after = cursor.at
            cursor.at, cursor.end = start, place
            text = self.conditions(None).value_text()
            whole, cursor.end = cursor.at == place or not words, end
            if text and whole:
                cursor.at = after if words else cursor.at
                return Features(place=text.strip('"'), text=text)
        cursor.at = start
        return None

    def changes(self) -> Step | None:
        """`what changed between parcels_2020 and parcels_2024 by parcel_id`."""
        found = self._noun(
            "what changed between", "what has changed between", "changes between", "changes from"
        )
        if found is None:
            return None
        key = self.column_words("source", found[0]) if self.cursor.take("by", "on") else None
        return step("changes", found[0], ("other", found[1]), **({"key": [key]} if key else {}))

    def _noun(self, *openers: str) -> Pair | None:
        return self._two("and", "to", "with") if self.cursor.take(*openers) else None

    def _two(self, *between: str) -> Pair | None:
        """Two inputs with one of the words between them: the first of these up to which the first input reads."""
        cursor, start, end = self.cursor, self.cursor.at, self.cursor.end
        for place in range(start + 1, end):
            cursor.at = place
            if not cursor.take(*between):
                continue
            after = cursor.at
            cursor.at, cursor.end = start, place
            first = self.given()
            whole, cursor.end = cursor.done, end
            cursor.at = after
            second = self.given() if first is not None and whole else None
            if first is not None and second is not None:
                return first, second
        cursor.at = start
        return None
