"""Could somebody have chosen these words as a password? Only a place that plainly assigns one makes them one."""

from __future__ import annotations

import re

from recall_lab.redaction.shapes import STAND_INS, is_placeholder
from recall_lab.redaction.vocabulary import word_set

_LETTERS = re.compile(r"[A-Za-z]{6,40}\Z")
_STATES = word_set(
    """
    required optional enabled disabled missing present provided string boolean expired unchanged ignored masked
    prompt manual random stdin interactive encrypted hashed plaintext plain incorrect unknown unset notset
    varchar integer object number symbol buffer secretstr securestring charfield textfield textinput passwordfield
    passwordinput authentication combination protected required. hashing strength reset
    """
)
_ABOUT_ITSELF = re.compile(
    r"(?i:^(?:my|your|the|some|new|old|user|db|test|admin)?(?:pass|pwd|pw|secret|token)|passw|kennwort)|[a-z][A-Z]"
)
_PHRASE_WORD = re.compile(r"[A-Za-z0-9]{2,16}[.!?]?\Z")
_SENTENCE_WORDS = word_set(
    """
    a an the is are was be must should at least with for and or of to from in on by no not your our my enter type use
    used choose please provide protect protects protected if when then than least characters letters digits words
    again confirm optional required missing wrong failed error prompt read reading stored file does do can cannot
    """
)
_NO_LETTERS = re.compile(r"[^a-z]+")
_NUMBERED = re.compile(r"(?:[a-z]{3,12}[-_.]){1,4}[a-z]{3,12}[-_.]?[0-9]{1,4}\Z")


def is_word(value: str) -> bool:
    """Could this word, or small words and a number such as ``quartz-lantern-37``, be a password?"""
    if _LETTERS.match(value):
        return not is_placeholder(value) and value.lower() not in _STATES and not _ABOUT_ITSELF.search(value)
    return _NUMBERED.match(value) is not None and STAND_INS.isdisjoint(_NO_LETTERS.split(value))


def is_phrase(value: str) -> bool:
    """Could this be a password of several words? What instructs the reader, or reads like a sentence, is none."""
    words = value.split(" ")
    if not 2 <= len(words) <= 10 or not all(_PHRASE_WORD.match(word) for word in words):
        return False
    return not any(word.lower() in _SENTENCE_WORDS or word.lower() in STAND_INS for word in words)
