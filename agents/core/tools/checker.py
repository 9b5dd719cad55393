"""A JSON schema compiled once into closures that check, and safely coerce, the arguments of a call.

A check returns the value to use and appends a `Fault` for each thing wrong; it never raises. A `Slot` marks a dynamic
keyword: its value comes with each check, from the snapshot that the model was shown. Only lossless coercion happens:
"5" -> 5, 5.0 -> 5, "true" -> true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.core.tools.argument_faults import Fault, Path, missing, unknown
from agents.core.tools.schema_keywords import KEYWORDS, Check, Slots, type_check


def compile_schema(schema: Mapping[str, Any]) -> Check:
    """The checker of one schema; `$ref` may point into its own `$defs`."""
    return _Compiler(schema).compile(schema)


class _Compiler:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.references: dict[str, list[Check]] = {}

    def compile(self, schema: Any) -> Check:
        if schema is True or schema == {}:
            return _anything
        if schema is False:
            return _nothing
        checks: list[Check] = []
        if "$ref" in schema:
            checks.append(self.reference(schema["$ref"]))
        kinds = schema.get("type")
        nullable = schema.get("nullable") is True
        if kinds is not None:
            names = [kinds] if isinstance(kinds, str) else list(kinds)
            checks.append(type_check([*names, "null"] if nullable else names))
        for keyword, factory in KEYWORDS.items():
            if keyword in schema:
                checks.append(factory(schema[keyword]))
        if any(keyword in schema for keyword in ("properties", "additionalProperties", "required")):
            checks.append(self.object_check(schema))
        if any(keyword in schema for keyword in ("items", "prefixItems")):
            checks.append(self.array_check(schema))
        checks.extend(self.compile(part) for part in schema.get("allOf", ()))
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                checks.append(self.union(schema[keyword], only_one=keyword == "oneOf"))
        if "not" in schema:
            checks.append(_negation(self.compile(schema["not"])))
        return _sequence(checks, nullable)

    def reference(self, target: str) -> Check:
        if target not in self.references:
            node: Any = self.root
            try:
                for part in target.removeprefix("#").strip("/").split("/") if target != "#" else ():
                    node = node[part.replace("~1", "/").replace("~0", "~")]
            except (KeyError, TypeError):
                raise ValueError(f"the schema refers to {target}, which is not in it") from None
            cell: list[Check] = []
            self.references[target] = cell
            cell.append(self.compile(node))
        found = self.references[target]
        return lambda value, path, faults, slots: found[0](value, path, faults, slots)

    def object_check(self, schema: Mapping[str, Any]) -> Check:
        properties = {name: self.compile(part) for name, part in schema.get("properties", {}).items()}
        required = tuple(schema.get("required", ()))
        needed = frozenset(required)
        extra = schema.get("additionalProperties", True)
        extra_check = None if isinstance(extra, bool) else self.compile(extra)

        def check(value: Any, path: Path, faults: list[Fault], slots: Slots) -> Any:
            if type(value) is not dict:
                return value
            result = {}
            for name, item in value.items():
                part = properties.get(name)
                if part is not None:
                    if item is None and name not in needed and _refuses_null(part, slots):
                        continue
                    result[name] = part(item, (*path, name), faults, slots)
                elif extra_check is not None:
                    result[name] = extra_check(item, (*path, name), faults, slots)
                else:
                    result[name] = item
                    if not extra:
                        faults.append(unknown(name, path, item, tuple(properties)))
            for name in required:
                if name not in value:
                    faults.append(missing(name, path))
            return result

        return check

    def array_check(self, schema: Mapping[str, Any]) -> Check:
        first = tuple(self.compile(part) for part in schema.get("prefixItems", ()))
        rest = self.compile(schema.get("items", True))

        def check(value: Any, path: Path, faults: list[Fault], slots: Slots) -> Any:
            if type(value) is not list:
                return value
            return [
                (first[index] if index < len(first) else rest)(item, (*path, index), faults, slots)
                for index, item in enumerate(value)
            ]

        return check

    def union(self, schemas: Sequence[Any], *, only_one: bool) -> Check:
        branches = [self.compile(part) for part in schemas]

        def check(value: Any, path: Path, faults: list[Fault], slots: Slots) -> Any:
            exact: list[Any] = []
            coerced: list[Any] = []
            nearest: list[Fault] | None = None
            for branch in branches:
                found: list[Fault] = []
                result = branch(value, path, found, slots)
                if not found:
                    (exact if _same_deep(result, value) else coerced).append(result)
                    if exact and not only_one:
                        return result
                elif nearest is None or _depth(found) > _depth(nearest):
                    nearest = found
            fitting = exact or coerced
            if only_one and len(exact) > 1:
                faults.append(Fault("type", path, "fits more than one of the allowed forms", value))
            if fitting:
                return fitting[0]
            if nearest and _depth(nearest) > len(path):
                faults.extend(nearest)
            else:
                faults.append(_union_fault(schemas, path, value, nearest))
            return value

        return check


def _anything(value: Any, path: Path, faults: list[Fault], slots: Slots) -> Any:
    return value


def _nothing(value: Any, path: Path, faults: list[Fault], slots: Slots) -> Any:
    faults.append(Fault("unknown", path, "is not allowed here", value))
    return value


def _sequence(checks: Sequence[Check], nullable: bool) -> Check:
    if not checks:
        return _anything
    if len(checks) == 1 and not nullable:
        return checks[0]

    def check(value: Any, path: Path, faults: list[Fault], slots: Slots) -> Any:
        if value is None and nullable:
            return None
        before = len(faults)
        for part in checks:
            value = part(value, path, faults, slots)
            if len(faults) != before:
                break
        return value

    return check


def _same_deep(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if type(one) is dict:
        return one.keys() == other.keys() and all(_same_deep(item, other[key]) for key, item in one.items())
    if type(one) is list:
        return len(one) == len(other) and all(_same_deep(a, b) for a, b in zip(one, other, strict=True))
    return bool(one == other)


def _depth(faults: Sequence[Fault]) -> int:
    return max(len(fault.path) for fault in faults)


def _union_fault(schemas: Sequence[Any], path: Path, value: Any, nearest: list[Fault] | None) -> Fault:
    if nearest and nearest[0].choices:
        return nearest[0]
    kinds = [str(part.get("type", "")) for part in schemas if isinstance(part, Mapping)]
    named = " or ".join(kind for kind in kinds if kind)
    return Fault("type", path, f"must be {named}" if named else "fits none of the allowed forms", value)


def _refuses_null(part: Check, slots: Slots) -> bool:
    """Whether null can only mean that the model left an optional entry out."""
    found: list[Fault] = []
    part(None, (), found, slots)
    return bool(found)


def _negation(refused: Check) -> Check:
    def check(value: Any, path: Path, faults: list[Fault], slots: Slots) -> Any:
        found: list[Fault] = []
        refused(value, path, found, slots)
        if not found:
            faults.append(Fault("type", path, "has a form that is not allowed", value))
        return value

    return check
