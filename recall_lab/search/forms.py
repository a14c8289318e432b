"""Forms of a word that a stemmer does not know: irregular verbs and plurals, two spellings, words half typed; pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_GROUPS_TEXT: Final = """
arise arose arisen; awake awoke awoken; beat beaten; become became; begin began begun; bend bent; bite bit bitten;
bleed bled; blow blew blown; break broke broken; breed bred; bring brought; build built; burn burnt; buy bought;
catch caught; choose chose chosen; come came; creep crept; deal dealt; dig dug; draw drew drawn; dream dreamt;
drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found;
flee fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven;
freeze froze frozen; get got gotten; give gave given; go went gone; grow grew grown; hang hung; hear heard;
hide hid hidden; hold held; keep kept; kneel knelt; know knew known; lay laid; lead led; learn learnt; leave left;
lend lent; light lit; lose lost; make made; mean meant; meet met; overcome overcame; override overrode overridden;
overwrite overwrote overwritten; pay paid; rebuild rebuilt; rewrite rewrote rewritten; ride rode ridden;
ring rang rung; rise rose risen; run ran; say said; see saw seen; seek sought; sell sold; send sent; shake shook shaken;
shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat; sleep slept;
slide slid; speak spoke spoken; speed sped; spell spelt; spend spent; spin spun; stand stood; steal stole stolen;
stick stuck; sting stung; strike struck; swear swore sworn; sweep swept; swim swam swum; swing swung;
take took taken; teach taught; tear tore torn; tell told; think thought; throw threw thrown;
undergo underwent undergone; understand understood;
undertake undertook undertaken; undo undid undone; wake woke woken; wear wore worn;
weave wove woven; weep wept; win won; withdraw withdrew withdrawn; write wrote written;
child children; foot feet; goose geese; half halves; knife knives; leaf leaves; life lives; man men; mouse mice;
shelf shelves; tooth teeth; wife wives; woman women; analysis analyses; appendix appendices; basis bases;
crisis crises; criterion criteria; hypothesis hypotheses; index indices; matrix matrices; phenomenon phenomena;
schema schemata; vertex vertices;
analyse analyze; artefact artifact; behaviour behavior; catalogue catalog; centre center; colour color;
defence defense; dialogue dialog; favour favor; favourite favorite; fulfil fulfill; grey gray; honour honor;
judgement judgment; labour labor; licence license; neighbour neighbor; practise practice; programme program
"""
# normalise and normalize, organisation and organization.
_SPELT: Final = re.compile(r"(\w{3,}i)([sz])((?:e[drs]?|ers|ing|able|ations?))")
# Endings that a stemmer takes off; who types a word is in the middle of one at some time.
_ENDINGS_TEXT: Final = """
ization isation ational fulness ousness iveness ability ibility ality ivity icity ement ment ation ator alism ance ence
able ible ness ical ive ize ise ism ion ing ed es ies er ers ly ful ous
"""
_ENDINGS: Final = tuple(_ENDINGS_TEXT.split())
_groups: dict[str, tuple[str, ...]] = {}


def other_forms(word: str, term: str, stem: Callable[[str], str]) -> tuple[tuple[str, str], ...]:
    """The other forms of a word: the stemmed term of each, and the word.

    Args:
        word: A word of a query.
        term: Its stemmed term.
        stem: Makes a term of a word; the same each time.
    """
    if not _groups:
        for line in _GROUPS_TEXT.split(";"):
            words = tuple(line.split())
            _groups.update(dict.fromkeys(map(stem, words), words))
    found = {stem(other): other for other in _groups.get(term, ())}
    if spelt := _SPELT.fullmatch(word.lower()):
        other = spelt[1] + ("z" if spelt[2] == "s" else "s") + spelt[3]
        found[stem(other)] = other
    found.pop(term, None)
    return tuple(found.items())


def completions(beginning: str) -> tuple[str, ...]:
    """Words that begin so and end in what a stemmer takes off: ``connectio`` begins a form of ``connect``.

    Args:
        beginning: Of a word, in small letters.

    Returns:
        Some that there are and many that there are not; the index knows.
    """
    found = {beginning: None, f"{beginning}ed": None, f"{beginning}ing": None}
    for ending in _ENDINGS:
        for typed in range(1, min(len(ending), len(beginning) - 1) + 1):
            if beginning.endswith(ending[:typed]):
                found[beginning + ending[typed:]] = None
    return tuple(found)
