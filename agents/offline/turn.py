"""One step of a turn of the offline model, derived from the request alone.

Nothing is kept between steps: a call's id tells which command it belongs to and where the next one begins, so a turn
continues correctly even if the map has changed. Later turns only use the `Memory` stored with the answer.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.core.errors import ToolFailed, ToolUnavailable
from agents.core.messages import AssistantMessage, ToolCall, UserMessage
from agents.core.model import ModelRequest
from agents.domain import Table
from agents.engine_words import ENGINE_PHRASES, Wanted, asked_engine
from agents.geo.wording.phrases import refusal
from agents.offline.analyses_read import commands_read
from agents.offline.analysis_turn import AnalysingAgent, analyst_reply
from agents.offline.answers import refusals, texts
from agents.offline.answers.indistinct_nouns import indistinct_nouns, leave_out_distinct, other_kinds
from agents.offline.answers.phrasing import Phrasing
from agents.offline.answers.wording import did_not_go_on, how_read
from agents.offline.asked_once import forget_answers
from agents.offline.commands.tables_named import with_table_named
from agents.offline.commands.view import place_alone
from agents.offline.conversation.follow_ups import request_meant
from agents.offline.conversation.memory import Memory, Outcome, Question, Rows, last_answer, recall
from agents.offline.conversation.past_calls import (
    CommandSpan,
    calls_made,
    draws_rows,
    ending,
    first_of_ranking,
    is_chart_of_answer,
    is_partly_done,
    latest_result,
    layers_added,
    layers_spoken_of,
    question_about,
    question_asked,
    rows_asked_about,
    rows_listed,
    rows_meant,
    rows_named,
)
from agents.offline.conversation.ranked_of_fewer import ranking_asked
from agents.offline.frames.framed import framed
from agents.offline.language.names.vague import without_vague
from agents.offline.language.reading import MAX_CHARACTERS, TOO_LONG, read
from agents.offline.language.tokens import normalized
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.conditions import Mention
from agents.offline.meaning.intents import (
    Analyse,
    Command,
    NotUnderstood,
    Refine,
    SeveralMeanings,
    Show,
    TooMuch,
    Unsupported,
    Zoom,
)
from agents.offline.meaning.places import forget_places
from agents.offline.meaning.ranking import listed_rows
from agents.offline.meaning.scene import Ask, Done, MapAgent, Refuse, Say, Scene, answered, operations_of
from agents.offline.offers.declined import not_understood, offered, with_offers
from agents.offline.offers.suggestions import suggestions
from agents.offline.parser import is_sql, is_unread
from agents.offline.planner import PlannedCall, plan
from agents.offline.recipe_turn import recipe_reply
from agents.offline.typing_mistakes import corrected, corrections
from agents.offline.unknown_words import unknown_words, unread_reason
from agents.offline.values_named import values_named
from agents.worded import joined, worded_among

log = logging.getLogger("agents.offline")


class Turn:
    """The state of a request: its message, the tools, and the results so far."""

    def __init__(self, request: ModelRequest, agent: MapAgent) -> None:
        self.agent = agent
        self.request = request
        self.tools = frozenset(tool.name for tool in request.tools if request.tool_choice != "none")
        self.messages = request.messages
        asked = [index for index, message in enumerate(self.messages) if isinstance(message, UserMessage)]
        self.begin = asked[-1] if asked else 0
        message = self.messages[self.begin] if asked else UserMessage("")
        self.text = message.text if isinstance(message, UserMessage) else ""
        self.done = calls_made(self.messages[self.begin :])
        self.places = [CommandSpan.of(done.call) for done in self.done]
        self.preferred = self.remarks = tuple[str, ...]()
        self.outcome: Outcome = "done"
        self.question: Question | None = None
        self.kept = self.before = Memory()
        """What is stored for the next turn, besides the outcome and a question."""
        self.is_repeated = False
        """The text is the previous request for another place, which replaces what was shown."""
        self.corrections: dict[str, str] = {}
        """The right spelling of mistyped words; `text` is corrected."""
        self.engine: Wanted | None = None
        """Where to run the message's analyses; these words are removed from `text`."""

    async def reply(self) -> AssistantMessage:
        """The reply of this step: tool calls or an answer."""
        if len(self.text) > MAX_CHARACTERS and not is_sql(self.text):
            self.outcome = "unread"
            return AssistantMessage(TOO_LONG.reason, memory=self._memory(recall(self.messages)[0].layers))
        if not is_sql(self.text):
            self.text, self.engine = asked_engine(normalized(" ".join(self.text.split())))
        if "finish" in self.tools and isinstance(self.agent, AnalysingAgent):
            return await analyst_reply(self.request, self.agent, self.text, self.done)
        forget_answers(self.agent)
        if not self.done:
            forget_places(self.agent)
        await read(self._prepare, self.agent.map.layers())
        scene = Scene(self.agent, self.vocabulary, self.tools)
        self.vocabulary.know_values(await values_named(scene, self.text, again=bool(self.done)))
        await read(self._take_as_answer)
        self.vocabulary.know_values(await values_named(scene, self.text, again=True))
        await leave_out_distinct(scene, self.text)
        message = await self._reply()
        return message if message.calls else replace(message, memory=self._memory(self.recent))

    def _scene(self) -> Scene:
        return Scene(self.agent, self.vocabulary, self.tools, self.recent)

    def _prepare(self, layers: Sequence[Any]) -> None:
        self.vocabulary = Vocabulary(
            self.agent.registry,
            layers,
            operations_of(self.agent),
            [tool for tool in self.request.tools if tool.phrases and tool.name in self.tools],
        )
        self.recent = layers_spoken_of(self.messages, self.vocabulary)
        self.before = last_answer(self.messages[: self.begin])
        self.asked_before = self.before.rows

    def _take_as_answer(self) -> None:
        """Replace a message that answers an open question, or changes a part of the previous request, by the request
        that it means."""
        if (question := self.before.question) is not None:
            self.text, self.preferred = answered(question, self.text)
        before = self._vocabulary_before() if self.done else self.vocabulary
        self.written = self.text = without_vague(self.text, before)
        again = request_meant(self.messages[: self.begin + 1], self.text, before)
        if again is not None:
            self.is_repeated, self.text, self.asked_before = True, again.text, again.rows
        text, default = with_table_named(self.text, before), self._default_table()
        self.text, self.remarks = framed(text, before, default) if again is None else (text, ())

    def _memory(self, layers: Sequence[str]) -> dict[str, Any]:
        partly = self.outcome != "done" and (self.before.partly or is_partly_done(self.done))
        kept = replace(self.kept, layers=tuple(layers), question=self.question, outcome=self.outcome)
        return replace(kept, partly=partly).stored()

    async def _reply(self) -> AssistantMessage:
        recipe = await recipe_reply(self.request, self.agent, self.text, self.done, self.tools)
        if recipe is not None:
            return recipe
        last = self.places[-1] if self.places else None
        if last is not None and last.corrected:
            await self._correct(self._vocabulary_before())
        if not self.done:
            commands = await self._read_first()
            for command in commands:
                if isinstance(command.intent, TooMuch):
                    self.outcome = "unread"
                    return AssistantMessage(command.intent.reason)
            unread = next((each.intent for each in commands if isinstance(each.intent, NotUnderstood)), None)
            if unread is not None and self.is_repeated:
                self.text, commands, unread = self.written, [], NotUnderstood("", self.written)
            if unread is not None:
                self.outcome = "unread"
                unknown = unknown_words(self.text, self.vocabulary)
                scene, table = self._scene(), self._default_table()
                explanation = await not_understood(self.text, commands, unread, unknown, scene, table)
                reason = unread_reason(self.text, unknown, self.vocabulary)
                if not reason:
                    return AssistantMessage(explanation)
                commands = [Command(Unsupported(reason, explanation), 0, len(self.text), self.text)]
            return await self._go_on(commands)
        if last is None:
            return await self._answer([])
        ended = ending(self.done[-1])
        if ended is not None:
            self.outcome = ended
            return await self._answer([], left=await self._parsed(last.end))
        if last.last:
            return await self._go_on(await self._parsed(last.end))
        return await self._go_on(await self._parsed(last.start, vocabulary=self._vocabulary_before()))

    async def _read_first(self) -> list[Command]:
        """The commands of the text, corrected if typing mistakes made it unreadable."""
        commands = await place_alone(self._scene(), self.text, await self._parsed())
        # In an analysis, an unknown word may have been read as a place.
        doubtful = any(is_unread(each.intent) or isinstance(each.intent, Analyse) for each in commands)
        return (await self._read_corrected() if doubtful else None) or commands

    async def _read_corrected(self) -> list[Command] | None:
        """The commands of the corrected text; None if it has no clear typing mistakes, or is not readable either."""
        written = self.text
        if await self._correct(self.vocabulary):
            commands = await self._parsed()
            if not any(is_unread(each.intent) for each in commands):
                return commands
        self.text, self.corrections = written, {}
        return None

    async def _correct(self, vocabulary: Vocabulary) -> bool:
        """Correct clear typing mistakes; whether there were any."""
        self.corrections = await read(corrections, self.text, vocabulary)
        self.text = corrected(self.text, self.corrections)
        return bool(self.corrections)

    async def _parsed(
        self, start: int = 0, end: int | None = None, vocabulary: Vocabulary | None = None
    ) -> list[Command]:
        commands = await self._read(self.text[:end], vocabulary or self.vocabulary, start)
        return [self._in_place(each) for each in commands] if self.is_repeated else commands

    async def _read(self, text: str, vocabulary: Vocabulary, start: int) -> list[Command]:
        return await commands_read(text, start, vocabulary, self._default_table(start))

    def _in_place(self, command: Command) -> Command:
        """The command of a request with another piece, changing the filter of the shown layer."""
        shown, layer = command.intent, self.vocabulary.layer(self.recent[0]) if self.recent else None
        if isinstance(shown, Show) and layer and layer.table in shown.subject.tables:
            subject = Mention(layer.name, layers=(layer.id,))
            return replace(command, intent=Refine(subject, shown.where, shown.top, "replace"))
        is_narrower = self.text.lower().startswith(("only ", "just "))
        if isinstance(shown, Refine) and (shown.subject, shown.mode) == (None, "and") and not is_narrower:
            return replace(command, intent=replace(shown, mode="instead"))
        return command

    def _default_table(self, start: int = 0) -> Table | None:
        rows = self._asked_before(start)
        if rows is not None:
            return self.vocabulary.table(rows.table)
        known = [each for each in map(self.vocabulary.layer, self.recent) if each is not None]
        shown = known[:1] or self.vocabulary.layers[-1:]
        return self.vocabulary.table(shown[0].table) if shown else None

    async def _go_on(self, commands: Sequence[Command]) -> AssistantMessage:
        """Carry out the commands in order, until there is something to call, ask or refuse."""
        notes: list[str] = []
        for index, command in enumerate(commands):
            own = tuple(
                done
                for done, place in zip(self.done, self.places, strict=True)
                if place is not None and place.start == command.start
            )
            left = commands[index + 1 :]
            outcome = await self._step(command, own)
            if isinstance(outcome, Ask):
                self.outcome = "asked"
                request, rest = self.text[command.start :], self.text[command.end :].rstrip(" ?!.")
                goals = [f"{each.rstrip(' ?!.')}{rest}" for each in outcome.goals]
                if isinstance(command.intent, SeveralMeanings):
                    whole = command.text.rstrip(" ?!.")
                    goals = [f"{whole} (meaning {each}){rest}" for each in outcome.options]
                self.question = Question(request, outcome.options, self.preferred, tuple(goals))
                options = await offered(outcome, request, goals, self.vocabulary, self._default_table())
                return await self._answer([*notes, joined("", (outcome.question, options))], left)
            if isinstance(outcome, Refuse):
                if not self.done and not self.corrections and (again := await self._read_corrected()):
                    return await self._go_on(again)
                self.outcome = "refused"
                outcome = await with_offers(
                    outcome, command.text, self._scene(), self._default_table(command.start)
                )
                if "cannot_do" not in self.tools:
                    return await self._answer([*notes, refusal(outcome.reason, outcome.alternative)], left)
                facts = {"reason": outcome.reason, "alternative": outcome.alternative}
                outcome = [PlannedCall("cannot_do", {name: words for name, words in facts.items() if words})]
            if isinstance(outcome, Say):
                notes.append(outcome.text)
            elif outcome:
                return AssistantMessage(joined("\n\n", notes), self._calls(command, outcome, len(own)))
        return await self._answer(notes)

    async def _step(self, command: Command, own: tuple[Done, ...]) -> list[PlannedCall] | Ask | Refuse | Say:
        scene = replace(self._scene(), done=own, preferred=self.preferred)
        result = latest_result(self.messages, self.vocabulary)
        try:
            rows = await listed_rows(self.agent.data, self.vocabulary, self._asked_before(command.start))
            is_first = self.before.outcome != "done" and not (self.done or self.preferred)
            unanswered = self.text.lower() if is_first else ""
            scene = replace(scene, result=result, rows=rows, alike=self.before.alike, unanswered=unanswered)
            scene = replace(scene, partly=is_first and self.before.partly)
            return await plan(scene, command.intent)
        except (Ask, Refuse, Say) as stop:
            return stop
        except ToolUnavailable:
            raise
        except ToolFailed as failure:
            return Refuse(failure.message)
        except Exception:
            log.exception("planning failed for an intent of type %s", type(command.intent).__name__)
            return Refuse(refusals.WENT_WRONG())

    def _asked_before(self, start: int) -> Rows | None:
        """The rows of the command before this position, in this message or the previous one."""
        before = [
            (place.start, done)
            for place, done in zip(self.places, self.done, strict=True)
            if place is not None and place.start < start
        ]
        last = next((done for begin, done in before if begin == before[-1][0]), None)
        rows = self.asked_before if last is None else rows_asked_about(last, self.vocabulary)
        return rows_meant(rows, self.text[start:])

    def _calls(self, command: Command, steps: Sequence[PlannedCall], before: int) -> tuple[ToolCall, ...]:
        is_last = all(step.last for step in steps)
        place = CommandSpan(command.start, command.end, is_last, bool(self.corrections))
        return tuple(
            ToolCall(
                place.call_id(len(self.messages), before + index),
                step.name,
                json.dumps(self._on_engine(step), ensure_ascii=False, separators=(",", ":")),
                texts=worded_among(step.arguments),
            )
            for index, step in enumerate(steps)
        )

    def _on_engine(self, step: PlannedCall) -> Mapping[str, Any]:
        if self.engine is None or step.name != "run_analysis":
            return step.arguments
        return {**step.arguments, "goal": f"{step.arguments['goal']} {ENGINE_PHRASES[self.engine]}"}

    async def _answer(self, notes: Sequence[str], left: Sequence[Command] = ()) -> AssistantMessage:
        """The results of all calls, command by command, and further notes."""
        phrasing = Phrasing(self.vocabulary)
        answers: list[str] = []
        for place in dict.fromkeys(self.places):
            calls = [done for done, own in zip(self.done, self.places, strict=True) if own == place]
            command = await self._command_at(place)
            answers.append(phrasing.sentences(calls, command))
            if place is not None and command is not None and self.outcome == "done":
                self.kept = await self._answered(place, command, calls)
        analysed = any(each.call.name == "run_analysis" for each in self.done)
        if self.engine and self.outcome == "done" and not analysed:
            notes = [*notes, texts.NO_ANALYSIS(words=ENGINE_PHRASES[self.engine])]
        notes = [*notes, *how_read(self.corrections, self.remarks)]
        if self.done and self.outcome == "done":
            notes = [*notes, *indistinct_nouns(self.text, self.vocabulary)]
            notes += other_kinds(self.text, [each.call for each in self.done], self.vocabulary)
        text = joined("\n\n", filter(None, (*answers, *notes, did_not_go_on(left))))
        return AssistantMessage(text or self._ask_for_request())

    async def _answered(self, place: CommandSpan, command: Command, calls: Sequence[Done]) -> Memory:
        """What to remember of a command that was carried out."""
        asked = question_asked(command, calls)
        rows = rows_asked_about(calls[0], self.vocabulary, command.intent)
        subject = command.intent.subject if isinstance(command.intent, Zoom) else None
        if rows is None and subject is not None and subject.pronoun:
            rows = self.before.rows  # `zoom to it`, which is spoken of further on
        if not asked and (draws_rows(self.done, self.before.rows) or is_chart_of_answer(command)):
            asked = self.before.question_text
        is_other = self.is_repeated and rows is not None and self.before.rows is not None
        alike = self.before.all_alike if is_other else self.kept.alike
        return Memory(
            listed=rows_listed(command),
            asked_of=await self._asked_of(place),
            rows=rows,
            question_text=asked, ranking=ranking_asked(command, asked, self.before, self.recent),
            first=first_of_ranking(calls[-1]), alike=alike,
            of_rows=self._asked_before(place.start),
            rows_text=rows_named(command) or (self.before.rows_text if rows == self.before.rows else ""),
        )  # fmt: skip

    async def _command_at(self, place: CommandSpan | None) -> Command | None:
        """The command of a call, read without the layers that it added, whose names may be its words."""
        if place is None:
            return None
        commands = await self._parsed(place.start, place.end, self._vocabulary_before())
        return commands[0] if commands else None

    async def _asked_of(self, place: CommandSpan) -> str:
        """The question of a command, read without the layers that it added, whose names may be its words."""
        before = self._vocabulary_before()
        commands = await self._read(self.text[: place.end], before, place.start)
        return await question_about(commands[0], before) if commands else ""

    def _vocabulary_before(self) -> Vocabulary:
        """The vocabulary without the layers that this message added."""
        added = layers_added(self.done, self.vocabulary.layers)
        left = [layer for layer in self.vocabulary.layers if layer.id not in added]
        before = Vocabulary(self.agent.registry, left, operations_of(self.agent), self.vocabulary.tools)
        return before.knowing(self.vocabulary)

    def _ask_for_request(self) -> str:
        examples = suggestions(self.agent.registry, self.vocabulary.layers, limit=3)
        return texts.NOTHING_ASKED_FOR(example=examples[0]) if examples else texts.NOTHING_ASKED()
