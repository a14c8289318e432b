"""What is narrowed by a filter, and by the want of a value."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator

import pytest

from recall_lab.analytics import coverage, coverage_by, run, usage
from recall_lab.errors import UsageError
from recall_lab.lab import Lab
from recall_lab.mirror import Mirror
from tests.mirror.telling import Telling, called, said


@pytest.fixture
def mirror(telling: Telling) -> Iterator[Mirror]:
    """Two sessions with a repository and a model, one with neither."""
    for name, facts, model in (("a", {"repo": "r"}, "m-1"), ("b", {"repo": "s"}, "m-2"), ("c", {}, None)):
        telling.tell(name, said(name), model_calls=[called(name, model=model, output_tokens=7)], **facts)
    with telling.mirror() as opened:
        yield opened


@pytest.mark.parametrize("method", [Lab.usage, Lab.coverage, Lab.coverage_by, Lab.report])
def test_help_names_every_filter(method: Callable[..., object]) -> None:
    parameters = inspect.signature(method).parameters
    assert {"since", "until", "host", "repo", "model"} <= parameters.keys()
    assert ("state" in parameters) == (method in {Lab.coverage, Lab.coverage_by})
    assert all(one.kind is not one.VAR_KEYWORD for one in parameters.values())


def test_what_has_no_value_is_kept_by_the_name_that_reports_give_it(mirror: Mirror) -> None:
    assert usage(mirror, "repo").total.calls == 3
    assert [row.key for row in usage(mirror, "session", repo="(no repository)").rows] == ["c"]
    assert [row.key for row in usage(mirror, "session", model="(no model)").rows] == ["c"]
    assert [row.key for row in usage(mirror, "session", repo="s").rows] == ["b"]
    assert coverage(mirror, repo="(no repository)").sources == coverage(mirror, model="(no model)").sources == 1
    assert coverage(mirror).sources == 3
    assert [row.sources for row in coverage_by(mirror, "host", model="(no model)")] == [1]
    for name in ("coverage_by_source", "sessions", "activity_by_day", "cost_by_session"):
        frame = run(mirror, name, repo="(no repository)", zone="UTC")
        assert len(frame) == 1, name


@pytest.mark.parametrize("by", ["repo", "model"])
def test_every_row_is_what_its_own_key_keeps(mirror: Mirror, by: str) -> None:
    for row in usage(mirror, by).rows:
        name = {"repo": "(no repository)", "model": "(no model)"}[by] if row.key is None else row.key
        [only] = usage(mirror, by, **{by: name}).rows
        assert only == row


def test_a_filter_that_is_not_there_is_said_with_those_that_are(mirror: Mirror) -> None:
    with pytest.raises(UsageError, match="usage has no filter 'colour'; it has since, until, host, repo, model"):
        usage(mirror, "day", colour="red")  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="coverage has no filter 'colour'"):
        coverage(mirror, colour="red")  # type: ignore[call-arg]
