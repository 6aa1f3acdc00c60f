"""Released rows as parquet that the Hub and `datasets.load_dataset` open with an Audio column, written by pyarrow alone.

`datasets` itself cannot encode audio without torch; its reader only needs the struct
{bytes, path} and the feature description in the schema's metadata.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from stages.core.files import Row, replacing
from stages.core.shards import PARQUET_OPTIONS, row_groups
from stages.publish.release import COLUMNS, hub_features

FILE_NAME = "test-00000-of-00001.parquet"
"""The one file of the split `test`, as the published sets have it."""


def write(path: Path, rows: Iterable[Row]) -> int:
    """Stream released rows to `path`, one row group in memory at a time. Returns their number.

    Raises UserError when the disk is full; `path` is then untouched.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    text = pa.string()
    types = {column: pa.struct({"bytes": pa.binary(), "path": text}) if column == "audio" else text for column in COLUMNS}
    schema = pa.schema(list(types.items()), metadata={"huggingface": json.dumps({"info": {"features": hub_features()}})})
    written = 0
    with replacing(path) as temporary, pq.ParquetWriter(temporary, schema, write_statistics=["id"], **PARQUET_OPTIONS) as writer:
        for group in row_groups(rows, size=lambda row: len(row["audio"]["bytes"])):
            writer.write_table(pa.Table.from_pylist(group, schema=schema), row_group_size=len(group))
            written += len(group)
    return written
