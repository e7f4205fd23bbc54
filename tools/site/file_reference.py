"""Reference of the sections of model files, from their JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dalembert.files.models.schema import json_schema

Schema = Mapping[str, Any]
SIMPLE = {"string": "text", "number": "number", "integer": "whole number", "boolean": "true or false"}


def page() -> str:
    """Every section of a model file with its entries and fields."""
    schema = json_schema()
    parts = [
        "# Sections of model files",
        "Made from the schema that `dalembert schema` prints. [Model files](../model-files.md) shows them at work. A *number* may be "
        "an expression of parameters; an *expression* may read time, coordinates, speeds and signals as well. Units are SI, angles "
        "are in radians.",
    ]
    for name, section in schema["properties"].items():
        parts.append(f"## {name}\n\n{section.get('description', '')}".rstrip())
        parts += _entries(section)
    return "\n\n".join(parts) + "\n"


def _entries(section: Schema) -> Iterator[str]:
    inner = section.get("additionalProperties")
    named = isinstance(inner, Mapping)
    found = list(_objects(inner if isinstance(inner, Mapping) else section))
    if named:
        yield "Entries by name, each " + (
            "of one of these types:" if any(_type_of(x) for x in found) else _kind(inner) + "."
        )
    elif not found:
        yield f"Value: {_kind(section)}."
    for x in found:
        title = _type_of(x)
        head = f"### type: {title}\n\n" if title else ""
        about = f"{x['description']}\n\n" if title and "description" in x else ""
        rows = [
            f"| `{n}` | {_cell(_kind(f))} | {'yes' if n in x.get('required', ()) else ''} | {_cell(f.get('description', ''))} |"
            for n, f in x["properties"].items()
            if n != "type"
        ]
        if rows:
            yield head + about + "\n".join(["| field | value | required | |", "|---|---|---|---|", *rows])
        elif head:
            yield head + about + "No further fields."


def _objects(schema: Schema) -> Iterator[Schema]:
    """Objects with fields of their own among what may stand here."""
    if "properties" in schema:
        yield schema
    for word in ("oneOf", "anyOf"):
        for choice in schema.get(word, ()):
            yield from _objects(choice)


def _type_of(schema: Schema) -> str:
    return str(schema["properties"].get("type", {}).get("const", ""))


def _kind(schema: Schema) -> str:
    """What may stand here, in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return {
            "number": "a number",
            "expression": "an expression",
            "frame": "a place: three numbers, or position and rotation",
        }[name]
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return "one of " + ", ".join(f"`{x}`" for x in schema["enum"])
    for word in ("oneOf", "anyOf"):
        if word in schema:
            return " or ".join(dict.fromkeys(_kind(x) for x in _typed_together(schema[word])))
    kinds = schema.get("type", "anything")
    if kinds == "array":
        size = f" {schema['minItems']}" if schema.get("minItems", 0) == schema.get("maxItems") else ""
        return f"a list of{size}" + (f": {_kind(schema['items'])}" if "items" in schema else " entries")
    if kinds == "object":
        named = schema.get("additionalProperties")
        if "types" in schema:
            return "an entry of type " + ", ".join(f"`{x}`" for x in schema["types"])
        if "properties" in schema:
            return "fields " + ", ".join(f"`{x}`" for x in schema["properties"])
        return f"entries by name: {_kind(named)}" if isinstance(named, Mapping) else "entries by name"
    names = [SIMPLE.get(x, x) for x in ([kinds] if isinstance(kinds, str) else kinds)]
    return "a name" if set(names) == {"text", "whole number"} else "a " + " or ".join(names)


def _typed_together(choices: Sequence[Schema]) -> list[Schema]:
    """Choices, those that a type tells apart as one."""
    types = [_type_of(x) for x in choices if "properties" in x and _type_of(x)]
    others = [x for x in choices if "properties" not in x or not _type_of(x)]
    return [*others, {"type": "object", "types": types}] if types else others


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
