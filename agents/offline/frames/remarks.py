"""Remarks, which ask for nothing: `That's what my client wants.`, `For a report I need …`, `Data quality check: …`.

A remark has a grammar of its own, and none of its words may name anything in the data, a number or a command: `It's the
large ones I want` is not a remark. The answer says what was taken for a remark."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.offline.coverage import language_words
from agents.offline.language.conditions.value_nouns import DENIALS
from agents.offline.language.tokens import tokenize
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import fold, name_words, word_set
from agents.offline.unknown_words import data_words

_NEUTRAL = word_set("""
    a an the this that these those it its it's that's i i'm i've i'd we we're we've you your he she they my our his her
    their me us them am is are was were be been being have has had do does did don't will would can could should may
    might of for to in on at by with from as and or so if about into out up here there very really quite some
    something anything things stuff what need needs needed want wants make making made do doing know look looking work
    working new just time today tomorrow report class map data database table tool site page answer answers question
    questions figure figures number numbers please thanks thank right
    hi hello hey came come coming got found
""")
"""Words of the language that say nothing in a remark."""
_LIMITS = DENIALS | word_set("only except but excluding other than")
"""Words that limit what is asked for: `not this one: …` is not a label."""
_GREETING = r"(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|dear all)(?: (?:there|all|everyone|team))?[,!.]? )?"
_DOCUMENT = (
    r"(?:\w+ )?(?:report|presentation|article|story|paper|homework|assignment|project|talk|slides?|lesson"
    r"|class)"
)
_PURPOSE = rf"for (?:(?:my|our) (?:\w+ )?\w+|(?:an? |the |some )?{_DOCUMENT})"
_SENTENCE = re.compile(
    _GREETING + r"(?:(?:and |but |so )?(?:please )?(?:"
    r"(?:it|this|that)(?:'s|’s| is| was| will be| would be| comes) .+"
    r"|(?:i|we)(?:'m|’m|'re|’re| am| are| was| were) .+"
    r"|(?:i|we) (?:just |only )?(?:teach|work|write|study|live|come|came|know|hope|guess|love|like|started|saw|found"
    r"|got|have to|(?:need|want) (?:it|this|that|them) (?:for|to|by))\b.*"
    r"|(?:my|our) (?:\w+ )?\w+ (?:wants?|needs?|asked|asks|is|are|will|would|has|likes?|is asking)\b.*"
    r"|(?:do not|don't|don’t|no need to|never) (?:make|invent|guess|estimate|lie|hallucinate|worry|bother|hurry)\b.*"
    r"|(?:just )?(?:came|coming|got|found|trying|wondering|asking|checking|curious|here) .+"
    r"|(?:thanks|thank you|cheers|sorry|apologies|hope)\b.*"
    rf"|{_PURPOSE}))[.!?]*",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:(?!\b(?:for|of|on)\b)[\w/-]+ ){0,4}"
    r"(?:check|test|question|task|exercise|request|quiz|query|challenge|one|idea)"
    r"(?: (?:no\.? ?)?\d+)?(?=: | [-–—] )",
    re.IGNORECASE,
)
"""`Data quality check`, `Question 3`, `Point in polygon test`: what kind of request follows."""
_BEFORE = re.compile(
    rf"{_GREETING}{_PURPOSE},? (?=(?:(?:i|we) (?:need|want)|i'd like|can|could|please|show|give|list|how|what|which"
    r"|where|draw|map)\b)",
    re.IGNORECASE,
)
_BEHIND = re.compile(rf",? {_PURPOSE}(?=[.!?]*$)", re.IGNORECASE)
_SENTENCES = re.compile(r"(?:[^.!?]|[.!?](?!\s|$))+[.!?]*\s*")


def without_remarks(text: str, vocabulary: Vocabulary) -> tuple[str, tuple[str, ...]]:
    """The request without remarks, and these; unchanged if it has none, or nothing else."""
    asked, remarks = [], []
    for sentence in _SENTENCES.findall(text):
        if _SENTENCE.fullmatch(sentence.strip()) and _names_nothing(sentence, vocabulary):
            remarks.append(sentence.strip())
            continue
        label = _LABEL.match(sentence)
        is_label = label is not None and _LIMITS.isdisjoint(map(fold, label[0].split()))
        if label is not None and is_label and not _in_data(label[0], vocabulary):
            remarks.append(label[0])
            sentence = sentence[label.end() :].lstrip(" :-–—")
        for around in (_BEFORE, _BEHIND):
            found = around.search(sentence.rstrip()) if around is _BEHIND else around.match(sentence)
            if found is not None and _names_nothing(found[0], vocabulary):
                remarks.append(found[0].strip(" ,"))
                sentence = f"{sentence[: found.start()]}{sentence[found.end() :]}"
        asked.append(sentence)
    left = "".join(asked).strip()
    return (left, tuple(remarks)) if remarks and left else (text, ())


def _names_nothing(text: str, vocabulary: Vocabulary) -> bool:
    """Whether no word is a number, a name, a word of the data, or one of the language that asks for something."""
    tokens = tokenize(text.strip())
    if any(token.kind in ("number", "string") for token in tokens):
        return False
    words = [token for token in tokens if token.kind == "word" and fold(token.text) not in _NEUTRAL]
    is_name = any(token.text[:1].isupper() and token.start for token in words)
    known = language_words() - _NEUTRAL | data_words(text, vocabulary)
    return (
        not is_name
        and not any(_known(token.text, known) for token in words)
        and not _in_data(text, vocabulary)
    )


def _known(word: str, known: frozenset[str] | set[str]) -> bool:
    return fold(word) in known or bool({*name_words(word)} & known)


def _in_data(text: str, vocabulary: Vocabulary) -> bool:
    """Whether a word is that of a table, column or value."""
    words: Sequence[str] = [token.text for token in tokenize(text) if token.kind == "word"]
    return any(
        fold(word) not in _NEUTRAL
        and (
            ((table := vocabulary.match_table(name_words(word))) is not None and not table.guessed)
            or vocabulary.columns_called(vocabulary.few_tables, word)
            or vocabulary.values_called(name_words(word))
        )
        for word in words
    )
