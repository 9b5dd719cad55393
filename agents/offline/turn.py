"""One step of a turn of the offline model, worked out from the request alone.

Nothing is kept between steps: which command of the message a call belongs to, and where the next one begins, stands
in the call's id. So a turn goes on rightly although the map, and with it the vocabulary, changed under it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agents.core.errors import ToolFailed
from agents.core.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from agents.core.model import ModelRequest
from agents.domain import Table
from agents.offline.analysis_turn import AnalysingAgent, analyst_reply
from agents.offline.intents import Command, NotUnderstood
from agents.offline.paraphrases import paraphrased
from agents.offline.parser import parse
from agents.offline.phrasing import Phrasing
from agents.offline.plan_data import not_understood_words
from agents.offline.planner import Step, plan
from agents.offline.recipe_turn import recipe_reply
from agents.offline.scene import Ask, Done, MapAgent, Refuse, Say, Scene
from agents.offline.suggestions import suggestions
from agents.offline.vocabulary import Vocabulary
from agents.offline.wording import REFUSAL, refusal

log = logging.getLogger("agents.offline")
_LAYER_ARGUMENTS = ("layer_id", "layer")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call stands: the command at `start` to `end` of the message; `last` if that is done with it."""

    start: int
    end: int
    last: bool = field(compare=False)

    def call_id(self, message: int, number: int) -> str:
        return f"offline-{message}-{self.start}-{self.end}-{number}-{'last' if self.last else 'more'}"

    @classmethod
    def of(cls, call: ToolCall) -> Place | None:
        parts = call.id.split("-")
        if len(parts) != 6 or parts[0] != "offline" or not all(part.isdigit() for part in parts[1:5]):
            return None
        return cls(int(parts[2]), int(parts[3]), parts[5] == "last")


class Turn:
    def __init__(self, request: ModelRequest, agent: MapAgent) -> None:
        self.agent = agent
        self.request = request
        self.tools = frozenset(tool.name for tool in request.tools if request.tool_choice != "none")
        self.messages = request.messages
        asked = [index for index, message in enumerate(self.messages) if isinstance(message, UserMessage)]
        self.begin = asked[-1] if asked else 0
        message = self.messages[self.begin] if asked else UserMessage("")
        self.text = message.text if isinstance(message, UserMessage) else ""
        self.preferred = ""
        self.done = _done(self.messages[self.begin :])
        self.places = [Place.of(done.call) for done in self.done]
        self.vocabulary = Vocabulary(agent.registry, agent.map.layers())
        self.recent = _recent(self.messages, self.vocabulary)
        self.text = paraphrased(self.text, self.vocabulary)

    async def reply(self) -> AssistantMessage:
        if "finish" in self.tools and isinstance(self.agent, AnalysingAgent):
            return await analyst_reply(self.request, self.agent, self.text, self.done)
        recipe = await recipe_reply(self.request, self.agent, self.text, self.done, self.tools)
        if recipe is not None:
            return recipe
        self._take_as_answer()
        if not self.done:
            commands = self._parsed()
            unread = next((each.intent for each in commands if isinstance(each.intent, NotUnderstood)), None)
            if unread is not None:
                return AssistantMessage(self._not_understood(commands, unread))
            return await self._go_on(commands)
        last = self.places[-1]
        if last is None:
            return self._answer([])
        if _has_ended(self.done[-1]):
            return self._answer([], left=self._parsed(last.end))
        return await self._go_on(self._parsed(last.end if last.last else last.start))

    def _parsed(self, start: int = 0) -> list[Command]:
        return parse(self.text, self.vocabulary, self._default_table(), start)

    def _take_as_answer(self) -> None:
        """A message that only names one of the options of a question stands for the request that was asked about."""
        earlier = self._earlier_request()
        if earlier and all(
            isinstance(each.intent, NotUnderstood) or _is_bare(each) for each in self._parsed()
        ):
            self.preferred = self.text.strip(" .!?\"'“”")
            self.text = earlier

    def _earlier_request(self) -> str:
        """The user's message before, if the answer to it was a question of ours and this one is short."""
        before = self.messages[: self.begin]
        if len(before) < 2 or len(self.text.split()) > 4:
            return ""
        last = before[-1]
        if not (isinstance(last, AssistantMessage) and last.text.startswith("Which ") and "?" in last.text):
            return ""
        if not any(word.strip(" .,?“”") in last.text for word in self.text.split()):
            return ""
        said = [message.text for message in before if isinstance(message, UserMessage)]
        return said[-1] if said else ""

    def _default_table(self) -> Table | None:
        for layer_id in self.recent:
            layer = self.vocabulary.layer(layer_id)
            if layer is not None:
                return self.vocabulary.table(layer.table)
        layers = self.vocabulary.layers
        return self.vocabulary.table(layers[-1].table) if layers else None

    async def _go_on(self, commands: Sequence[Command]) -> AssistantMessage:
        """The commands one after the other, until there is something to call, to ask or to refuse."""
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
                return self._answer([*notes, outcome.question], left)
            if isinstance(outcome, Refuse):
                if "cannot_do" not in self.tools:
                    return self._answer([*notes, refusal(outcome.reason, outcome.alternative)], left)
                facts = {"reason": outcome.reason, "alternative": outcome.alternative}
                outcome = [Step("cannot_do", {name: words for name, words in facts.items() if words})]
            if isinstance(outcome, Say):
                notes.append(outcome.text)
            elif outcome:
                return AssistantMessage("\n\n".join(notes), self._calls(command, outcome, len(own)))
        return self._answer(notes)

    async def _step(self, command: Command, own: tuple[Done, ...]) -> list[Step] | Ask | Refuse | Say:
        scene = Scene(self.agent, self.vocabulary, self.tools, self.recent, own, self.preferred)
        try:
            return await plan(scene, command.intent)
        except (Ask, Refuse, Say) as stop:
            return stop
        except ToolFailed as failure:
            return Refuse(failure.message)
        except Exception:
            log.exception("planning failed for an intent of type %s", type(command.intent).__name__)
            return Refuse("something went wrong while I looked it up in the data")

    def _calls(self, command: Command, steps: Sequence[Step], before: int) -> tuple[ToolCall, ...]:
        place = Place(command.start, command.end, all(step.last for step in steps))
        return tuple(
            ToolCall(
                place.call_id(len(self.messages), before + index),
                step.name,
                json.dumps(step.arguments, ensure_ascii=False, separators=(",", ":")),
            )
            for index, step in enumerate(steps)
        )

    def _answer(self, notes: Sequence[str], left: Sequence[Command] = ()) -> AssistantMessage:
        """What came of all calls, command by command, and what there is to say besides."""
        phrasing = Phrasing(self.vocabulary)
        told: list[str] = []
        for place in dict.fromkeys(self.places):
            calls = [done for done, own in zip(self.done, self.places, strict=True) if own == place]
            told.append(phrasing.sentences(calls, self._command_at(place)))
        text = "\n\n".join(part for part in (*told, *notes) if part) + _left(left)
        return AssistantMessage(text or self._nothing_said())

    def _command_at(self, place: Place | None) -> Command | None:
        """The command of a call, as far as it reads the same on the map of now."""
        if place is None:
            return None
        commands = parse(self.text[: place.end], self.vocabulary, self._default_table(), place.start)
        return commands[0] if commands else None

    def _not_understood(self, commands: Sequence[Command], unread: NotUnderstood) -> str:
        read = [command.text for command in commands if not isinstance(command.intent, NotUnderstood)]
        if read:
            whole = ", ".join([*read, *([unread.understood] if unread.understood else [])])
            unread = replace(unread, understood=whole)
        return not_understood_words(Scene(self.agent, self.vocabulary, self.tools, self.recent), unread)

    def _nothing_said(self) -> str:
        examples = suggestions(self.agent.registry, self.vocabulary.layers, limit=3)
        return "What would you like to see?" + (f" For example “{examples[0]}”." if examples else "")


def _has_ended(done: Done) -> bool:
    """Whether nothing should be done after a call: it failed, or it is a refusal."""
    refused = done.call.name == "run_analysis" and done.result.content.startswith(REFUSAL)
    return not done.result.ok or done.call.name == "cannot_do" or refused


def _is_bare(command: Command) -> bool:
    """A message that is nothing but a name."""
    return len(command.text.split()) <= 3 and type(command.intent).__name__ in ("Show", "Refine", "Lookup")


def _left(commands: Sequence[Command]) -> str:
    if not commands:
        return ""
    return "\n\nI did not go on to " + " and ".join(f"“{command.text}”" for command in commands) + "."


def _done(messages: Sequence[Message]) -> tuple[Done, ...]:
    """The calls of this turn with their results, in order."""
    calls = {
        call.id: call
        for message in messages
        if isinstance(message, AssistantMessage)
        for call in message.calls
    }
    found = []
    for message in messages:
        for result in message.results if isinstance(message, ToolMessage) else ():
            call = calls.get(result.call_id)
            if call is not None:
                found.append(Done(call, {**_arguments(call), **result.filled}, result))
    return tuple(found)


def _arguments(call: ToolCall) -> dict[str, Any]:
    try:
        parsed = json.loads(call.arguments or "{}")
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _recent(messages: Sequence[Message], vocabulary: Vocabulary) -> tuple[str, ...]:
    """The layers that calls were about, the latest first; of an analysis the one that shows its result."""
    found: list[str] = []
    for done in reversed(_done(messages)):
        if done.call.name == "run_analysis":
            tables = [receipt.get("table") for receipt in done.result.receipts]
            drawn = [layer.id for layer in vocabulary.layers if layer.table in tables]
            if drawn or done.result.ok:
                found.extend(drawn[-1:])
                break
        for name in _LAYER_ARGUMENTS:
            layer_id = done.arguments.get(name)
            if done.result.ok and isinstance(layer_id, str) and layer_id not in found:
                found.append(layer_id)
    return tuple(found)
