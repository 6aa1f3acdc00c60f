"""Croissant metadata of a release (mlcommons.org/croissant/1.0), which dataset search engines and loaders read.

Written here rather than by `mlcroissant`, whose import takes longer than the whole stage; the tests hold it against that
library's own validation and reader.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stages.publish.card import Config
from stages.publish.release import ReleaseSettings

_CONTEXT: dict[str, Any] = {
    "@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/", "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/", "dct": "http://purl.org/dc/terms/", "citeAs": "cr:citeAs",
    "equivalentProperty": "cr:equivalentProperty", "samplingRate": "cr:samplingRate", "column": "cr:column",
    "conformsTo": "dct:conformsTo", "data": {"@id": "cr:data", "@type": "@json"}, "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"}, "extract": "cr:extract", "field": "cr:field", "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject", "fileSet": "cr:fileSet", "format": "cr:format", "includes": "cr:includes", "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath", "key": "cr:key", "md5": "cr:md5", "parentField": "cr:parentField", "path": "cr:path", "recordSet": "cr:recordSet",
    "references": "cr:references", "regex": "cr:regex", "repeated": "cr:repeated", "replace": "cr:replace", "separator": "cr:separator",
    "source": "cr:source", "subField": "cr:subField", "transform": "cr:transform",
}  # fmt: skip

_TYPES = {"string": "sc:Text", "list<string>": "sc:Text", "int64": "sc:Integer", "float64": "sc:Float", "bool": "sc:Boolean"}


def describe(settings: ReleaseSettings, configs: Sequence[Config], folder: Path) -> dict[str, Any]:
    """The description as a JSON-LD object; files are named relative to it, each with its sha256."""
    released = [config for config in configs if config.files]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": settings.name,
        "description": " ".join(settings.description.split()),
        "version": settings.version,
        "license": settings.licence,
        "inLanguage": settings.language,
        "keywords": ["audio", *settings.tags],
        "citeAs": "\n\n".join(entry.strip() for entry in settings.citations),
        "url": f"https://huggingface.co/datasets/{settings.hub.namespace}/{settings.name}" if settings.hub.namespace else settings.name,
        "distribution": [_file(path, folder) for config in released for path in config.files],
        "recordSet": [record for config in released for record in _records(config, settings, folder)],
    }


def _file(path: Path, folder: Path) -> dict[str, Any]:
    name = path.relative_to(folder).as_posix()
    with path.open("rb") as content:
        sha256 = hashlib.file_digest(content, "sha256").hexdigest()
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": "application/x-parquet",
        "sha256": sha256,
    }


def _records(config: Config, settings: ReleaseSettings, folder: Path) -> list[dict[str, Any]]:
    """A record set for each file; of a config in several files, one after the other."""
    found = []
    for number, path in enumerate(config.files):
        name = config.name if len(config.files) == 1 else f"{config.name}-{number:05d}"
        fields = [_field(name, column, value, settings, path.relative_to(folder).as_posix()) for column, value in settings.listed().items()]
        found.append({"@type": "cr:RecordSet", "@id": name, "name": name, "key": {"@id": f"{name}/id"}, "field": fields})
    return found


def _field(record: str, column: str, value: str, settings: ReleaseSettings, file: str) -> dict[str, Any]:
    source: dict[str, Any] = {"fileObject": {"@id": file}, "extract": {"column": column}}
    kind = settings.types.get(column, "string")
    if value == "@audio":
        source["transform"] = {"jsonPath": "bytes"}
    return {
        "@type": "cr:Field",
        "@id": f"{record}/{column}",
        "name": f"{record}/{column}",
        "dataType": "sc:AudioObject" if value == "@audio" else _TYPES[kind],
        **({"repeated": True} if kind.startswith("list<") else {}),
        "source": source,
    }
