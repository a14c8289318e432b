"""What a model call costs, from the genai-prices catalogue that is installed (nothing is downloaded).

The catalogue is read once for each model and laid out as rows of the mirror's ``prices`` table, one for every period,
time of day and long-context tier in which the price is constant; DuckDB then prices each call with the row that was in
force when it was made. Tiers apply to the whole request, by its whole input, cache included. A one-hour cache write
costs twice the input price where the catalogue has cache-write prices but none of its own for it. A model that the
catalogue does not know has no row, and its calls no cost.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice, Provider, TieredPrices

_EPOCH = date(1970, 1, 1)
# Clouds that sell other vendors' models under names of their own; asked in this order when a name says nothing.
_RESELLERS = ("aws", "google", "azure", "openrouter")


class PriceCatalogue(msgspec.Struct, frozen=True):
    """Which catalogue priced the calls. ``date`` is the newest day, up to today, from which it states a price."""

    name: str
    version: str
    date: str


class Price(msgspec.Struct, frozen=True):
    """USD a million tokens (``web_search`` and ``request``: USD each) of a model while the price is constant.

    Dates and times of day are UTC; untils are exclusive and None is no end. Applies to requests whose whole input is
    above ``above_tokens`` and at most ``upto_tokens``.
    """

    host: str
    model: str
    provider: str
    priced_as: str
    from_date: date
    until_date: date | None
    from_time: time
    until_time: time | None
    above_tokens: int
    upto_tokens: int | None
    input: float
    cache_read: float
    cache_write_5m: float
    cache_write_1h: float
    output: float
    reasoning: float
    web_search: float
    request: float


class LookedUp(msgspec.Struct, frozen=True):
    """What was found in a catalogue: prices of some of the (host, model) pairs that were looked up in it."""

    catalogue: PriceCatalogue
    models: frozenset[tuple[str, str]]
    prices: tuple[Price, ...]


@cache
def price_version() -> str:
    """Return the version of the installed catalogue, without loading it."""
    from importlib.metadata import version

    return version("genai-prices")


@cache
def price_catalogue() -> PriceCatalogue:
    """Return name, version and date of the installed catalogue."""
    from genai_prices.data_snapshot import get_snapshot

    today = datetime.now(UTC).date()
    dates = [
        constraint.start_date
        for provider in get_snapshot().providers
        for model in provider.models
        for constraint in _constraints(model)
        if getattr(constraint, "start_date", None) and constraint.start_date <= today
    ]
    return PriceCatalogue("genai-prices", price_version(), max(dates, default=today).isoformat())


def prices_of(models: Iterable[tuple[str, str]]) -> list[Price]:
    """Return the prices of (host, model) pairs; nothing for a model that the catalogue does not know."""
    return [row for host, model in models for row in _prices(host, model)]


class Lookup:
    """Looks up prices in a process beside this one: loading the catalogue takes as long as mirroring a small store.

    Where no process can be started, or the catalogue is loaded already, it is done here when it is asked for; what an
    earlier lookup in the same catalogue found (``known``) is not looked up again.
    """

    def __init__(self, models: Iterable[tuple[str, str]], known: LookedUp | None = None) -> None:
        self._models = sorted(models)
        covers = known is not None and known.catalogue.version == price_version() and known.models >= set(self._models)
        self._known = known if covers else None
        self._process = None if self._known or "genai_prices" in sys.modules else self._start()

    def _start(self) -> subprocess.Popen[bytes] | None:
        if not sys.executable:
            return None
        # This file alone, without what its package and a site load.
        command = [sys.executable, "-S", "-P", __file__]
        environ = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        pipe = subprocess.PIPE
        try:
            process = subprocess.Popen(  # noqa: S603 - this interpreter, this module
                command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=environ
            )
        except OSError:
            return None
        assert process.stdin is not None
        with suppress(BrokenPipeError), process.stdin:
            process.stdin.write(msgspec.json.encode(self._models))
        process.stdin = None  # is closed; communicate() must not write to it
        return process

    def result(self) -> tuple[PriceCatalogue, list[Price]]:
        """Return the catalogue, and the prices of the models that it knows."""
        if self._known is not None:
            asked = set(self._models)
            return self._known.catalogue, [row for row in self._known.prices if (row.host, row.model) in asked]
        if self._process is not None:
            told, _ = self._process.communicate()
            self._process = None
            with suppress(msgspec.DecodeError):
                return msgspec.json.decode(told, type=tuple[PriceCatalogue, list[Price]])
        return price_catalogue(), prices_of(self._models)

    def close(self) -> None:
        """End the process if nobody asked for its result."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def answer() -> None:
    """Answer a ``Lookup``: models on standard input, catalogue and prices on standard output."""
    gc.disable()  # this process ends before there is anything to collect
    # What would bring the catalogue up to date over the network is never asked for, and takes long to load.
    sys.modules["httpx2"] = ModuleType("httpx2")
    models = msgspec.json.decode(sys.stdin.buffer.read(), type=list[tuple[str, str]])
    sys.stdout.buffer.write(msgspec.json.encode((price_catalogue(), prices_of(models))))


def _find(model: str) -> tuple[Provider, ModelInfo] | None:
    from genai_prices.data_snapshot import get_snapshot

    snapshot = get_snapshot()
    for provider_id in (None, *_RESELLERS):
        try:
            return snapshot.find_provider_model(model, None, provider_id, None)
        except LookupError:
            continue
    return None


def _prices(host: str, model: str) -> Iterator[Price]:
    found = _find(model)
    if found is None:
        return
    provider, info = found
    constraints = _constraints(info)
    days = sorted({_EPOCH, *(c.start_date for c in constraints if hasattr(c, "start_date"))})
    times = sorted(
        {time(0), *(_utc(t) for c in constraints if hasattr(c, "start_time") for t in (c.start_time, c.end_time))}
    )
    for from_date, until_date in pairwise([*days, None]):
        for from_time, until_time in pairwise([*times, None]):
            assert from_date is not None
            assert from_time is not None
            price = info.get_prices(datetime.combine(from_date, from_time, UTC))
            if price.input_mtok is None and price.output_mtok is None:
                continue  # a model of speech or pictures: its tokens have no price
            for above, upto, rates in _tiers(price):
                yield Price(
                    host,
                    model,
                    provider.id,
                    info.id,
                    from_date,
                    until_date,
                    from_time,
                    until_time,
                    above,
                    upto,
                    *map(float, rates),
                )


def _constraints(info: ModelInfo) -> list[Any]:
    if not isinstance(info.prices, list):
        return []
    return [price.constraint for price in info.prices if price.constraint is not None]


def _utc(moment: time) -> time:
    if moment.tzinfo is None:
        return moment
    return datetime.combine(_EPOCH + timedelta(days=1), moment).astimezone(UTC).time()


def _tiers(price: ModelPrice) -> Iterator[tuple[int, int | None, tuple[Decimal, ...]]]:
    """Yield (above, up to, rates) for each range of whole input in which no rate changes."""
    starts = sorted({tier.start for value in vars(price).values() for tier in getattr(value, "tiers", ())})
    for above, upto in pairwise([-1, *starts, None]):
        assert above is not None
        yield above, upto, _rates(price, above + 1)


def _rates(price: ModelPrice, whole_input: int) -> tuple[Decimal, ...]:
    """Return USD a million tokens, in the order of ``Price``, then USD a web search and a request.

    What has no price of its own costs what its parent in the catalogue's units costs: cached input is input, reasoning
    is output.
    """

    def rate(*keys: str) -> Decimal | None:
        for key in keys:
            value: Decimal | TieredPrices | None = getattr(price, key, None)
            if value is not None:
                return _at(value, whole_input)
        return None

    zero = Decimal(0)
    input_ = rate("input_mtok") or zero
    read = rate("cache_read_mtok")
    write = rate("cache_write_5m_mtok", "cache_write_mtok")
    hour = rate("cache_write_1h_mtok")
    if hour is None:
        hour = input_ if write is None else 2 * input_
    output = rate("output_mtok") or zero
    reasoning = rate("output_reasoning_mtok")
    searches = rate("web_searches_kcount") or zero
    return (
        input_,
        input_ if read is None else read,
        input_ if write is None else write,
        hour,
        output,
        output if reasoning is None else reasoning,
        searches / 1000,
        (rate("requests_kcount") or zero) / 1000,
    )


def _at(value: Decimal | TieredPrices, whole_input: int) -> Decimal:
    if isinstance(value, Decimal):
        return value
    found = value.base
    for tier in value.tiers:
        if whole_input > tier.start:
            found = tier.price
    return found


if __name__ == "__main__":
    answer()
