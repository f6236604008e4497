"""A DataFrame or Series as JSON, so that a client can draw its own table.

{"columns":[{"name","dtype"}],"index":[...],"rows":[[...]],"row_count","column_count","truncated"}
Values are null, booleans, numbers, strings; what JSON has no word for is a string (infinities,
integers beyond 2**53, decimals, time stamps in ISO form) or null (NaN, NaT, NA).
pandas is never imported from here: it is there already if there is a table.
"""
import json

from cellblock_worker.private_builtins import BUILTINS as __builtins__  # noqa: F401

MIME_TYPE = "application/vnd.cellblock.table+json"
MAX_ROWS = 500
MAX_COLUMNS = 100
_MAX_TEXT = 4096
_EXACT = 1 << 53

_dumps = json.dumps


def encode(frame):
    """The JSON text of a DataFrame or Series; None if it cannot be had."""
    try:
        return _dumps(_describe(frame), ensure_ascii=False, separators=(",", ":"))
    except Exception:
        return None  # the HTML and text forms are still there


def _describe(frame):
    if frame.ndim == 1:
        row_count, column_count = len(frame), 1
        shown = frame.iloc[:MAX_ROWS]
        columns = [shown]
        names = [frame.name]
    else:
        row_count, column_count = frame.shape
        shown = frame.iloc[:MAX_ROWS, :MAX_COLUMNS]
        columns = [shown.iloc[:, i] for i in range(shown.shape[1])]
        names = list(shown.columns)
    values = [_column(column) for column in columns]
    return {
        "columns": [
            {"name": _name(name), "dtype": str(column.dtype)}
            for name, column in zip(names, columns)
        ],
        "index": _column(shown.index),
        "rows": [list(row) for row in zip(*values)] if values else [[]] * len(shown),
        "row_count": row_count,
        "column_count": column_count,
        "truncated": row_count > MAX_ROWS or column_count > MAX_COLUMNS,
    }


def _name(name):
    return name if isinstance(name, str) else "" if name is None else str(name)


def _column(values):
    return [_value(value) for value in values.tolist()]


def _value(value):
    if value is None or isinstance(value, (bool, str)):
        return value[:_MAX_TEXT] if isinstance(value, str) else value
    if isinstance(value, float):
        if value != value:
            return None
        return float(value) if abs(value) != float("inf") else str(float(value))
    if isinstance(value, int):
        return int(value) if -_EXACT <= value <= _EXACT else str(value)
    if isinstance(value, (tuple, list)):
        return [_value(item) for item in value]
    return _other(value)


def _other(value):
    text = str(value)
    if text in ("NaT", "<NA>", "nan"):
        return None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        return _value(value.item())  # a numpy scalar
    return text[:_MAX_TEXT]
