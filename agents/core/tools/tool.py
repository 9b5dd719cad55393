"""`@tool`: a function declared as something a model may call; and `Tool`, that declaration bound to its owner.

The decorator returns the function itself, so it stays an ordinary method for everyone else. The schema and
description are computed on first use, once per function, and shared by all agents of the class."""

from __future__ import annotations

import builtins
import inspect
import sys
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any, TypeVar, overload

from agents.core.errors import DeclarationError
from agents.core.tools.blueprint import Blueprint, Schema, from_function
from agents.core.tools.context import ToolContext
from agents.core.tools.param import adapt_processor

F = TypeVar("F", bound=Callable[..., Any])
Processor = Callable[..., Any]
Processors = Processor | Sequence[Processor] | None
Runner = Callable[[dict[str, Any], ToolContext], Any]


@dataclass(frozen=True, slots=True)
class Options:
    """How a tool is run.

    `timeout` is in seconds. `sequential` tools run alone, in the order of the calls. `requires_approval` (or a
    callable of owner and arguments) asks the user first. `strict` asks for the provider's strict mode. `retries` is
    how often per turn the tool may answer a faulty call before it refuses to be called. `thread` runs a sync tool in
    a thread, as a timeout on one does too. `drop_unknown` ignores undeclared arguments with a warning. `needs_choice`
    does not offer the tool to models while one of its enums has no value. `phrases` are templates of user requests that
    call it, which the offline model reads."""

    timeout: float | None = None
    sequential: bool = False
    requires_approval: bool | Callable[..., Any] = False
    strict: bool = False
    retries: int | None = None
    thread: bool = False
    drop_unknown: bool = False
    needs_choice: bool = False
    phrases: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.timeout is not None and self.timeout <= 0:
            raise DeclarationError("a tool's timeout must be more than 0 seconds")
        if self.retries is not None and self.retries < 0:
            raise DeclarationError("a tool's retries cannot be negative")


class Tool:
    """A tool in a toolbox: a name, a blueprint, and `run(arguments, context)`, which may return an awaitable.

    `owner` is the object whose dynamic values, resolvers and processors are called; None is the running agent.
    `suspends` is false for sync tools: those run in place, or in a thread if their options say so."""

    __slots__ = (
        "blueprint", "description", "name", "options", "owner", "postprocess", "preprocess", "run", "suspends",
        "threaded",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        blueprint: Blueprint,
        run: Runner,
        *,
        owner: Any = None,
        options: Options | None = None,
        description: Any = None,
        preprocess: Processors = None,
        postprocess: Processors = None,
        suspends: bool = True,
    ) -> None:
        if not _is_name(name):
            raise DeclarationError(f"{name!r} is not a tool name: use 1 to 64 letters, digits, _ and -")
        self.name = name
        self.blueprint = blueprint
        self.run = run
        self.suspends = suspends
        self.owner = owner
        self.options = options or Options()
        self.threaded = not suspends and (self.options.thread or self.options.timeout is not None)
        self.description = blueprint.description if description is None else description
        self.preprocess = _processors(preprocess)
        self.postprocess = _processors(postprocess)

    @property
    def schema(self) -> Schema:
        """The parameters as a JSON schema, without dynamic values. Shared between tools: do not change it."""
        return self.blueprint.schema

    def but(self, *, name: str | None = None, description: str | None = None, **options: Any) -> Tool:
        """The same tool with another name, description or options."""
        return Tool(
            name or self.name,
            self.blueprint,
            self.run,
            owner=self.owner,
            options=replace(self.options, **options) if options else self.options,
            description=self.description if description is None else description,
            preprocess=self.preprocess,
            postprocess=self.postprocess,
            suspends=self.suspends,
        )

    def get_tool_info(self) -> dict[str, Any]:
        """`name`, `description` and `input_schema`, without dynamic values."""
        text = self.description if isinstance(self.description, str) else self.blueprint.description
        return {"name": self.name, "description": text, "input_schema": self.schema}

    def __repr__(self) -> str:
        return f"<Tool {self.name}>"


@dataclass(slots=True, eq=False)
class Declaration:
    """The arguments of `@tool`, stored on the function as `__tool__`. `scope` has further names for its hints."""

    function: Callable[..., Any]
    name: str
    description: str | Callable[..., Any] | None = None
    params: Mapping[str, Mapping[str, Any]] | None = None
    required: Sequence[str] | None = None
    preprocess: Processors = None
    postprocess: Processors = None
    options: Options = Options()
    scope: Mapping[str, Any] | None = None
    _blueprints: dict[bool, Blueprint] = field(default_factory=dict)

    def blueprint(self, *, method: bool) -> Blueprint:
        """Name, description and parameters read from the function; `method` if its first parameter is `self`. Raises
        DeclarationError."""
        found = self._blueprints.get(method)
        if found is None:
            text = self.description if isinstance(self.description, str) else None
            found = from_function(
                self.function,
                method=method,
                description=text,
                params=self.params,
                required=self.required,
                scope=self.scope,
            )
            self._blueprints[method] = found
        return found

    def describe(self) -> Tool:
        """The tool of a method that is not bound to an object: for catalogues."""

        def run(arguments: dict[str, Any], context: ToolContext) -> Any:
            raise DeclarationError(f"{self.name} belongs to a class; make an object of it to call its tools")

        return Tool(self.name, self.blueprint(method=True), run, options=self.options)

    def bind(self, function: Callable[..., Any], owner: Any) -> Tool:
        """The tool that calls `function`: a bound method of `owner`, or a plain function with no owner."""
        method = inspect.ismethod(function)
        blueprint = self.blueprint(method=method)
        text = self.description if callable(self.description) else None
        return Tool(
            self.name,
            blueprint,
            _runner(function, blueprint),
            owner=owner,
            options=self.options,
            description=text,
            preprocess=self.preprocess,
            postprocess=self.postprocess,
            suspends=inspect.iscoroutinefunction(function),
        )


@overload
def tool(function: F, /) -> F: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | Callable[..., Any] | None = None,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    required: Sequence[str] | None = None,
    preprocess: Processors = None,
    postprocess: Processors = None,
    timeout: float | None = None,
    sequential: bool = False,
    requires_approval: bool | Callable[..., Any] = False,
    strict: bool = False,
    retries: int | None = None,
    thread: bool = False,
    drop_unknown: bool = False,
    needs_choice: bool = False,
    phrases: Sequence[str] = (),
) -> Callable[[F], F]: ...
def tool(
    function: Any = None,
    /,
    *,
    name: str | None = None,
    description: str | Callable[..., Any] | None = None,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    required: Sequence[str] | None = None,
    preprocess: Processors = None,
    postprocess: Processors = None,
    **options: Any,
) -> Any:
    """Declare a method or function as a tool, explicitly, by its signature and docstring, or by both.

    `params` maps parameter names to JSON-schema fragments; what a fragment does not say is inferred. In a
    fragment `enum`, `description`, `default`, `minimum` and `maximum` may be callables of the owner, and
    `resolve` names what fills the parameter when the model leaves it out. `preprocess([owner,] arguments)`
    and `postprocess([owner,] result)` may be several. For the other options see `Options`."""
    chosen = Options(**options)

    def declare(target: Any, depth: int = 1) -> Any:
        if isinstance(target, staticmethod | classmethod):
            raise DeclarationError("put @tool below @staticmethod or @classmethod, next to the function")
        if not callable(target):
            raise DeclarationError("@tool decorates a function or a method")
        own, scope = name or target.__name__, _names_around(target, sys._getframe(depth))
        target.__tool__ = Declaration(
            target, own, description, params, required, preprocess, postprocess, chosen, scope
        )
        return target

    return declare if function is None else declare(function, 2)


def _names_around(function: Any, frame: FrameType | None) -> Mapping[str, Any] | None:
    """Names that a string hint may refer to besides globals: those of the enclosing class or function."""
    if not any(isinstance(hint, str) for hint in getattr(function, "__annotations__", {}).values()):
        return None
    _, nested, inner = function.__qualname__.rpartition("<locals>.")
    scopes: list[dict[str, Any]] = []
    for _ in range(inner.count(".") + bool(nested)):
        if frame is None or frame.f_locals is frame.f_globals:
            break
        scopes.append({name: item for name, item in frame.f_locals.items() if not hasattr(builtins, name)})
        frame = frame.f_back
    return ChainMap(*scopes) if scopes else None


def declaration_of(function: Any) -> Declaration | None:
    """The `@tool` declaration of a function; None if it has none."""
    found = getattr(function, "__tool__", None)
    return found if isinstance(found, Declaration) else None


def tool_of(function: Callable[..., Any]) -> Tool:
    """The tool of a function or bound method; one that is not decorated counts as with a bare `@tool`."""
    owner = function.__self__ if inspect.ismethod(function) else None
    declared = declaration_of(function)
    if declared is None:
        plain = function.__func__ if inspect.ismethod(function) else function
        declared = Declaration(plain, plain.__name__)
    return declared.bind(function, owner)


def tools_of(owner: Any) -> Iterable[Tool]:
    """The decorated methods of an object, base classes first, in the order of their declaration.

    A subclass may override such a method without decorating it again, or set it to None to take it away. Of a
    class the tools can be shown, not called."""
    declared: dict[str, Declaration] = {}
    is_class = isinstance(owner, type)
    for kind in reversed(owner.__mro__ if is_class else type(owner).__mro__):
        for attribute, value in vars(kind).items():
            plain = value.__func__ if isinstance(value, staticmethod | classmethod) else value
            declaration = declaration_of(plain)
            if declaration is not None:
                declared[attribute] = declaration
            elif value is None:
                declared.pop(attribute, None)
    for attribute, declaration in declared.items():
        yield declaration.describe() if is_class else declaration.bind(getattr(owner, attribute), owner)


def _runner(function: Callable[..., Any], blueprint: Blueprint) -> Runner:
    injected = tuple(blueprint.injected.items())
    if not injected:
        return lambda arguments, _: function(**arguments)

    def run(arguments: dict[str, Any], context: ToolContext) -> Any:
        supplied = {name: supply(context) for name, supply in injected}
        return function(**arguments, **supplied)

    return run


def _processors(given: Processors) -> tuple[Callable[[Any, Any], Any], ...]:
    if given is None:
        return ()
    return tuple(adapt_processor(item) for item in ([given] if callable(given) else given))


def _is_name(name: str) -> bool:
    return 0 < len(name) <= 64 and name.isascii() and name.replace("_", "").replace("-", "").isalnum()
