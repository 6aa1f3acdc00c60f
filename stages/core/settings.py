"""Typed configuration: every stage declares a class, and an unknown or misspelt key is an error with the nearest name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from stages.core.errors import UserError, nearest


class Settings(BaseModel):
    """Base of every settings class: immutable, only the declared keys are allowed, and no number is infinite or none at all."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=(), allow_inf_nan=False)


def _below_root(path: str) -> str:
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or not parts.parts:
        raise ValueError("must be relative, without ..")
    return path


BelowRoot = Annotated[str, AfterValidator(_below_root)]
"""A path that a configuration gives relative to a folder beside it, and that cannot lead out of it."""


def watched(*folders: str) -> AfterValidator:
    """For a path relative to the project: it must lie below one of `folders`, which DVC watches, or nobody would see that its file changed."""

    def below(path: str) -> str:
        parts = PurePosixPath(path)
        if ".." in parts.parts or not any(parts != PurePosixPath(folder) and parts.is_relative_to(folder) for folder in folders):
            raise ValueError(f"must lie below {' or '.join(folders)}, which DVC watches for changes")
        return path

    return AfterValidator(below)


S = TypeVar("S", bound=Settings)


def load(cls: type[S], values: Mapping[str, Any], where: str) -> S:
    """`values` as `cls`. `where` is the config key that the values come from, for the error sentence."""
    try:
        return cls.model_validate(dict(values) if isinstance(values, Mapping) else values)
    except ValidationError as error:
        raise UserError(_sentence(cls, error, where)) from None


def _sentence(cls: type[BaseModel], error: ValidationError, where: str) -> str:
    errors = error.errors(include_url=False)
    # A misspelt key is both unknown and missing; the unknown one tells what to do.
    first = next((one for one in errors if one["type"] == "extra_forbidden"), errors[0])
    path = ".".join([where, *map(str, first["loc"])])
    if first["type"] == "extra_forbidden":
        name = str(first["loc"][-1])
        known = _fields_at(cls, first["loc"][:-1])
        return f"Config key {path} is unknown.{nearest(name, known)} Known keys: {', '.join(sorted(known))}."
    if first["type"] == "missing":
        return f"Config key {path} is missing; set it in conf/ or params.yaml."
    return f"Config key {path} has the value {first['input']!r}: {first['msg'][0].lower()}{first['msg'][1:]}; correct it in conf/ or params.yaml."


def _fields_at(cls: type[BaseModel], location: tuple[int | str, ...]) -> set[str]:
    """The names that are allowed at `location` inside `cls`, following nested settings classes."""
    current: Any = cls
    for step in location:
        if not (isinstance(current, type) and issubclass(current, BaseModel)) or step not in current.model_fields:
            return set()
        current = _model_in(current.model_fields[str(step)].annotation)
    return set(current.model_fields) if isinstance(current, type) and issubclass(current, BaseModel) else set()


def _model_in(annotation: Any) -> Any:
    for candidate in (annotation, *getattr(annotation, "__args__", ())):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None
