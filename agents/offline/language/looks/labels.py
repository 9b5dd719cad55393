"""Rules for labels: `labelled by name and country`, `with their names`."""

from __future__ import annotations

from dataclasses import replace

from agents.offline.language.looks import phrases as style
from agents.offline.language.looks.symbols import Symbols
from agents.offline.language.words import name_words
from agents.offline.meaning.conditions import ColumnMention
from agents.offline.meaning.intents import Look


class Labels(Symbols):
    """Rules for labels."""

    def labels(self, look: Look) -> Look | None:
        """`labelled by name and country`, `labelled "{name}: {people}"`, `with name labels`, `with their names`."""
        cursor = self.cursor
        cursor.take("and")
        if cursor.take(style.UNLABELLED):
            return replace(look, unlabel=True)
        if cursor.take(style.LABELLED):
            cursor.take("by", "with", "for", "as", "showing", "of", "from", "using")
            return self.labelled(look)
        if cursor.take("put", "write", "print", "show"):
            look = self.labelled(look)
            return look if look.label and cursor.take(style.BESIDE_THEM) else None
        opener, start = cursor.take("with", "showing", "plus"), cursor.at
        if opener is None and {"labels", "on"}.isdisjoint(cursor.words[start:]):
            return None
        if opener is None:  # `…, names as labels`, `and the names written on it`
            columns = () if cursor.take(style.NAME_WORDS) else self.several_columns()
            named = cursor.at > start and cursor.take(style.AS_LABELS)
            return replace(look, label=columns, labelled=True) if named else None
        if cursor.take(style.NAME_WORDS) and cursor.word() not in ("like", "of", "containing", "starting"):
            cursor.take(style.AS_LABELS, "on it", "on")
            return replace(look, labelled=True)
        cursor.at = start
        names = cursor.take(style.NAME_WORDS) is not None
        cursor.at = start
        columns = self.several_columns()
        are_names = cursor.word(-1) in (
            "name",
            "names",
        )  # `with the zone names on`, not `with the alarm on`
        if columns and (names or cursor.take(style.AS_LABELS) or (are_names and cursor.take("on it", "on"))):
            return replace(look, label=columns, labelled=True)
        return None

    def labelled(self, look: Look) -> Look:
        """Labels after `labelled by`: a quoted text, columns, or the names."""
        text = self.cursor.take_string()
        if text is not None:
            return replace(look, label_text=text, labelled=True)
        columns = self.several_columns()
        if not columns:
            self.cursor.take(style.NAME_WORDS)
        return replace(look, label=columns, labelled=True)

    def several_columns(self) -> tuple[ColumnMention, ...]:
        """`name, country and population`; `and size 8` sets the symbol size."""
        cursor = self.cursor
        found: list[ColumnMention] = []
        while True:
            start = cursor.at
            if found and not cursor.take(", and", ",", "and"):
                break
            column = self.column()
            token = cursor.token()
            if column is None or (found and token is not None and token.kind == "number"):
                cursor.at = start
                break
            found.append(self._narrow_to_mentioned(column))
        return tuple(found)

    def _narrow_to_mentioned(self, column: ColumnMention) -> ColumnMention:
        """The column narrowed to one mentioned before: `with an IATA code, labelled by the code`."""
        mentioned = {
            word for token in self.cursor.tokens[: self.cursor.at] for word in name_words(token.text)
        }
        own = tuple(each for each in column.columns if set(name_words(each)) <= mentioned)
        return replace(column, columns=own) if len(column.columns) > 1 and len(own) == 1 else column
