"""Mail addresses, telephone numbers and IP addresses, where the user asks to have them masked."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from recall_lab.redaction.records import Spot


def read_contact(text: str, start: int, end: int, name: str) -> Iterator[Spot]:
    """Yield the address at a place that a contact rule reported, if it is one.

    Args:
        text: The text.
        start: Where the match starts.
        end: Where it ends.
        name: Of the rule: email, phone, ipv4 or ipv6.
    """
    value = text[start:end]
    around = text[start - 1 : start] + text[end : end + 1]
    if name == "email":
        if not (value.startswith("git@") and text.startswith(":", end)) and not value[-1].isdigit():
            yield Spot(start, end, "email")
    elif name == "phone":
        if 8 <= sum(c.isdigit() for c in value) <= 15 and not any(map(str.isalnum, around)):
            yield Spot(start, end, "phone")
    elif not any(c.isalnum() or c in ".:" for c in around.strip("\n")) and _is_host(value):
        yield Spot(start, end, "ip_address")


def _is_host(value: str) -> bool:
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)
