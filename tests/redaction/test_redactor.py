"""What a redactor promises, whatever the rules find."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from recall_lab.redaction import Redactor
from recall_lab.redaction.kinds import KINDS
from tests.redaction import fakes


def _text_with_secrets(seed: int, pieces: list[str]) -> str:
    """Fakes in their contexts, between arbitrary pieces."""
    rng = random.Random(seed)
    parts = []
    for piece in pieces:
        name, make = rng.choice(list(fakes.TOKENS.values()))
        parts += [piece, fakes.place(rng.choice(list(fakes.CONTEXTS.values())), name, make(rng))[0]]
    return rng.choice(["\n", " ", "", "\\n"]).join(parts)


texts_with_secrets = st.builds(_text_with_secrets, st.integers(0, 10_000), st.lists(st.text(max_size=12), max_size=4))


def test_a_secret_becomes_its_kind_and_is_counted(redactor: Redactor) -> None:
    secret = fakes.TOKENS["github"][1](random.Random(1))
    (result,) = redactor.redact([f"run with {secret} twice: {secret}"])
    assert result.text == "run with [REDACTED:github_token] twice: [REDACTED:github_token]"
    assert result.findings == (("github_token", 2),)


def test_text_without_secrets_stays_as_it_is(redactor: Redactor) -> None:
    texts = ["", "plain words", "\ud800 lone", "nul \x00 inside", "line\u2028separator", "emoji 👩‍👩‍👧"]
    assert [(item.text, item.findings) for item in redactor.redact(texts)] == [(text, ()) for text in texts]


def test_offsets_are_code_points(redactor: Redactor) -> None:
    secret = fakes.TOKENS["stripe"][1](random.Random(2))
    text = f"clé 🔑 \ud83d — {secret} — fin"
    (findings,) = redactor.scan([text])
    assert [text[f.start : f.end] for f in findings] == [secret]


@given(texts_with_secrets)
@settings(max_examples=60, deadline=None)
def test_findings_are_in_order_apart_and_of_a_known_kind(redactor: Redactor, text: str) -> None:
    (findings,) = redactor.scan([text])
    ends = 0
    for finding in findings:
        assert ends <= finding.start < finding.end <= len(text)
        assert finding.kind in KINDS
        ends = finding.end


@given(texts_with_secrets)
@settings(max_examples=60, deadline=None)
def test_redacting_twice_is_redacting_once(redactor: Redactor, text: str) -> None:
    (once,) = redactor.redact([text])
    (twice,) = redactor.redact([once.text])
    assert twice.text == once.text
    assert twice.findings == ()


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=300))
@settings(max_examples=100, deadline=None)
def test_any_string_survives(redactor: Redactor, text: str) -> None:
    (result,) = redactor.redact([text])
    assert isinstance(result.text, str)
    assert bool(result.findings) == (result.text != text)


def test_marks_of_an_earlier_redaction_are_left_alone(redactor: Redactor) -> None:
    text = 'export DB_PASSWORD=[REDACTED:password]\n"token": "[REDACTED:access_token]"'
    assert redactor.redact([text])[0].text == text


def test_what_stands_beside_a_mark_is_still_found(redactor: Redactor) -> None:
    secret = fakes.password(random.Random(5))
    text = f"A_TOKEN=[REDACTED:access_token] DB_PASSWORD={secret}"
    assert secret not in redactor.redact([text])[0].text
