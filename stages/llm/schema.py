"""The form of a reply: a pydantic model as the strict JSON schema that endpoints accept, and a check by JSON schema alone.

Endpoints differ in what they take, so a strict schema is kept to the common ground: inlined, every property required, nothing
additional, no regular expressions or string lengths (pydantic checks those on arrival).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from pydantic import BaseModel

Schema = dict[str, Any]

_KEPT = ("type", "enum", "description", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems")
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,), "integer": (int,), "number": (int, float), "null": (type(None),),
}


@cache
def full_schema(model: type[BaseModel]) -> Schema:
    """Everything that pydantic can say about `model`."""
    return model.model_json_schema()


@cache
def strict_schema(model: type[BaseModel]) -> Schema:
    """The schema to send. Properties keep their declared order: models write them in that order.

    Class docstrings are left out, so that rewording one does not change the request. Raises TypeError for a model that has no
    strict form (free-form mappings, tuples, recursion).
    """
    full = full_schema(model)
    return _strict({k: v for k, v in full.items() if k != "description"}, full.get("$defs", {}), model.__name__, ())


def _strict(schema: Schema, defs: dict[str, Schema], where: str, inside: tuple[str, ...]) -> Schema:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name in inside:
            raise TypeError(f"{where} contains itself; reply schemas are flat.")
        target = {k: v for k, v in defs[name].items() if k != "description"}
        return _strict(target | {k: v for k, v in schema.items() if k != "$ref"}, defs, where, (*inside, name))
    if len(schema.get("allOf", ())) == 1:
        return _strict({k: v for k, v in schema.items() if k != "allOf"} | schema["allOf"][0], defs, where, inside)
    strict = {key: schema[key] for key in _KEPT if key in schema}
    if "const" in schema:
        strict["enum"] = [schema["const"]]
    if branches := schema.get("anyOf") or schema.get("oneOf"):
        strict["anyOf"] = [_strict(branch, defs, where, inside) for branch in branches]
    elif schema.get("type") == "array" and "prefixItems" not in schema and "items" in schema:
        strict["items"] = _strict(schema["items"], defs, f"{where}[]", inside)
    elif schema.get("type") == "object" and "properties" in schema:
        strict["properties"] = {name: _strict(field, defs, f"{where}.{name}", inside) for name, field in schema["properties"].items()}
        strict["required"] = list(schema["properties"])
        strict["additionalProperties"] = False
    elif "enum" not in strict and schema.get("type") in (None, "array", "object"):
        raise TypeError(f"{where} has no strict JSON schema; use named fields, lists and enumerations.")
    return strict


def misfit(value: Any, schema: Schema, root: Schema | None = None, at: str = "the reply") -> str | None:
    """Why `value` does not satisfy a schema as pydantic writes them, as a clause, or None when it does."""
    root = schema if root is None else root
    if "$ref" in schema:
        return misfit(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root, at)
    for part in schema.get("allOf", ()):
        if problem := misfit(value, part, root, at):
            return problem
    if branches := schema.get("anyOf") or schema.get("oneOf"):
        problems = [misfit(value, branch, root, at) for branch in branches]
        return None if None in problems else problems[0]
    expected = schema.get("type")
    if expected and (not isinstance(value, _TYPES[expected]) or (isinstance(value, bool) and expected in ("integer", "number"))):
        return f"{at} must be {'an' if expected[0] in 'aio' else 'a'} {expected}, not {value!r:.80}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{at} must be one of {schema['enum']}, not {value!r:.80}"
    if "const" in schema and value != schema["const"]:
        return f"{at} must be {schema['const']!r}, not {value!r:.80}"
    if isinstance(value, dict):
        return _misfit_object(value, schema, root, at)
    if isinstance(value, list):
        problem = _out_of_bounds(len(value), schema, ("minItems", "maxItems"), f"the length of {at}")
        items = schema.get("items", {})
        return problem or next(filter(None, (misfit(item, items, root, f"{at}[{i}]") for i, item in enumerate(value))), None)
    if isinstance(value, str):
        if "pattern" in schema and not re.search(schema["pattern"], value):
            return f"{at} must match {schema['pattern']}, not {value!r:.80}"
        return _out_of_bounds(len(value), schema, ("minLength", "maxLength"), f"the length of {at}")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _out_of_bounds(value, schema, ("minimum", "maximum"), at)
    return None


def _misfit_object(value: dict[str, Any], schema: Schema, root: Schema, at: str) -> str | None:
    properties = schema.get("properties", {})
    if missing := [name for name in schema.get("required", ()) if name not in value]:
        return f"{at} lacks {missing[0]!r}"
    if schema.get("additionalProperties") is False and (extra := sorted(value.keys() - properties.keys())):
        return f"{at} has the unknown key {extra[0]!r}"
    return next(filter(None, (misfit(value[name], field, root, name) for name, field in properties.items() if name in value)), None)


def _out_of_bounds(number: float, schema: Schema, bounds: tuple[str, str], what: str) -> str | None:
    low, high = (schema.get(bound) for bound in bounds)
    if low is not None and number < low:
        return f"{what} must be at least {low}, not {number}"
    if high is not None and number > high:
        return f"{what} must be at most {high}, not {number}"
    return None
