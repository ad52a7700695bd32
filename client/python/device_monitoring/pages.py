"""Items of lists, for any size of their pages."""

from typing import Any, Callable, Iterator


def each(list_operation: Callable[..., Any], *arguments: Any, **filters: Any) -> Iterator[Any]:
    """All items of a list, read page by page as they are used: `for asset in each(dms.list_assets, limit=500): …`"""
    while True:
        page = list_operation(*arguments, **filters)
        yield from page["items"]
        cursor = page.get("nextCursor")
        if not cursor:
            return
        filters["cursor"] = cursor
