"""A user and a password side by side: as arguments of a call, in prose, in one object."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recall_lab.redaction import chosen, shapes
from recall_lab.redaction.records import Spot
from recall_lab.redaction.vocabulary import word_set

# Calls that take a user and a password, and which of their arguments the password is; -1: the last one in quotes.
_CALLS = {
    "login": 1,
    "ftp_login": 2,
    "signin": 1,
    "signInWithEmailAndPassword": -1,
    "createUserWithEmailAndPassword": -1,
    "NetworkCredential": 1,
    "UsernamePasswordCredentials": 1,
    "UsernamePasswordCredential": -1,
    "PasswordAuthentication": 1,
    "getConnection": 2,
    "mysqli": 2,
    "mysqli_connect": 2,
    "mysql_connect": 2,
    "PDO": 2,
    "connect": 2,
    "ftp": 2,
    "FTP": 2,
    "ldap_bind": 2,
    "simple_bind_s": 1,
    "setCredentials": 1,
    "set_credentials": 1,
    "username_pw_set": 1,
    "authenticate": 1,
    "Credentials": 3,
    "Sequelize": 2,
    "PlainAuth": 2,
    "basic": 1,
    "Connection": 2,
    "TwilioClient": 1,
    "OAuthHandler": 1,
    "OAuth1UserHandler": 1,
    "X509Certificate2": 1,
    "auth": -1,
    "begin": 1,
    "Client": 1,
    "algoliasearch": 1,
    "twilio": 1,
    "Twilio": 1,
}
_ARGUMENT = re.compile(
    r"[ \t\n]{0,24}(?:[a-zA-Z]\w{0,30}[ \t]?[=:][ \t]?)?(?:[bBrRuUfF@]?\\{0,3}(?P<quote>[\"'])"
    r"(?P<value>[^\"'\\\n]{0,200})\\{0,3}[\"']"
    r"|(?P<other>[^,()\"'\n]{1,80}(?:\([^()\n]{0,80}\))?))(?:\.\w{1,20}\(\))?[ \t\n]{0,24}(?P<end>[,)])"
)
_CALL = re.compile(r"(?P<name>\w{2,40})[ \t]?\(")
_MOST_ARGUMENTS = 6
_USER_FIRST = ("acledb.", "oracle.")  # drivers whose first argument is the user

# ``getByLabel('Password').fill('X')``: what is typed into a field of a form.
_TYPED = re.compile(
    r"(?:\)?\.(?:fill|type|send_?[kK]eys|setValue|input)\([^\"'\n]{0,20}|,[ \t]{0,2})"
    r"\\{0,3}[\"'](?P<value>[^\"'\\\n{]{6,80})"
)
_FILLED = re.compile(r"(?i)(?:fill|type|send_?keys|setvalue|input)\([ \t]?[\"'][^\"'\n]{0,60}[\"']?$")
_FIELD = re.compile(r"(?i)(?:passw(?:or)?d|passwort|kennwort|pwd|\bpin\b)[\w-]{0,20}[\"'\])]{0,6}$")

# ``login is admin / X``, ``user bob, pass X``.
_SPOKEN = re.compile(
    r"(?i)(?:log[ -]?in|sign[ -]?in|logon|credentials?|creds|zugang(?:sdaten)?|identifiants?|credenciales|acceso"
    r"|логин|账号)(?:[ \t]+(?:info|details?|data|for|to|on|is|are|with"
    r"|as|using|the|\w{2,20})){0,5}?"
    r"[ \t]{0,2}[:=\uff1a]?[ \t]+[\"'`(]?(?P<user>[\w.@+-]{2,40})[\"'`]?[ \t]{0,2}(?:/|:|\||,)[ \t]{0,2}[\"'`]?"
    r"(?P<value>[^\s\"'`/]{6,80})"
)
_NAMED_PAIR = re.compile(
    r"(?i)(?P<label>user(?:name)?|login|account|usuario|benutzer(?:name)?|utente"
    r"|utilisateur)[ \t]{0,2}[:=]?[ \t]*[\"'`]?(?P<user>[\w.@+-]{2,60})[\"'`]?"
    r"(?:[ \t]*[,;/|][ \t]*|[ \t]+(?:and|und|et|y|e)[ \t]+|[ \t]*\r?\n[ \t]*)(?:the[ \t]+|with[ \t]+)?"
    r"(?:password|passwort|kennwort|passwd|pass|pwd|pw|clave)(?:[ \t]{0,2}[:=]|[ \t]+is)?[ \t]+[\"'`]?"
    r"(?P<value>[^\s\"'`]{4,80})"
)
_CHARACTERS = re.compile(r"\\?\"(?P<value>[^\"\\\n]{6,100})$")
_OPENS_STORE = re.compile(r"(?i)load\(|keystore|getkey|setkeyentry|pbekeyspec|passw|loadkeymaterial|\binit\(")
_NO_USER = word_set("name id names ids and or the with is email mail field input string password")
_SIBLING = re.compile(
    r"(?i)(?:user(?:[ _-]?(?:name|id))?|login|uid|e?mail|account)(?P<close>\\{0,7}[\"']?)[ \t]{0,4}(?P<sign>=>"
    r"|[:=])[ \t]{0,4}"
    r"(?P<quote>\\{0,7}[\"']?)(?P<user>[A-Za-z][\w.@\\+-]{1,60})"
)
_LABELS = re.compile(
    r"(?i)(?:user|login|mail|name|benutzer|nutzer|usuario|utente|utilisateur|identifiant|string|text|str\b"
    r"|required|test\b|account)"
)


def read_login_call(text: str, start: int, _end: int) -> Iterator[Spot]:
    """The password among the arguments of a call, such as ``login("bob", "X")``."""
    call = _CALL.match(text, start)
    place = _CALLS.get(call["name"]) if call else None
    if call is None or place is None:
        return
    arguments: list[re.Match[str]] = []
    at = call.end()
    while len(arguments) < _MOST_ARGUMENTS:
        argument = _ARGUMENT.match(text, at)
        if not argument:
            break
        arguments.append(argument)
        at = argument.end()
        if argument["end"] == ")":
            break
    if call["name"] == "login" and len(arguments) == 1:  # of a bot, with its token
        only = arguments[0]
        if only["quote"] and shapes.is_secret(only["value"], quoted=True):
            yield Spot(only.start("value"), only.end("value"), "access_token")
        return
    if call["name"] == "auth":
        last = arguments[-1] if 1 <= len(arguments) <= 2 and arguments[-1]["end"] == ")" else None
        if last and last["quote"] and shapes.is_password(last["value"], quoted=True):
            yield Spot(last.start("value"), last.end("value"), "password")
        return
    if place == 2 and text[max(0, start - 7) : start].lower() in _USER_FIRST:
        place = 1
    if place < 0:
        quoted = [argument for argument in arguments if argument["quote"]]
        chosen = quoted[-1] if quoted and len(arguments) > 1 else None
    else:
        chosen = arguments[place] if len(arguments) > place else None
    if chosen is not None and chosen["quote"] and _fits(chosen["value"]):
        yield Spot(chosen.start("value"), chosen.end("value"), "password")


def read_typed(text: str, start: int, _end: int) -> Iterator[Spot]:
    """What a test types into a field for passwords."""
    typed = _TYPED.match(text, start)
    if text[start] == "," and not _FILLED.search(text, max(0, start - 90), start):
        return
    if typed and _FIELD.search(text, max(0, start - 60), start) and _fits(typed["value"]):
        yield Spot(typed.start("value"), typed.end("value"), "password")


def read_spoken_login(text: str, start: int, _end: int) -> Iterator[Spot]:
    """A user and a password in a sentence: ``the login is admin / X``, ``user bob, pass X``."""
    for pattern in (_SPOKEN, _NAMED_PAIR):
        pair = pattern.match(text, start)
        if not pair or pair["user"].lower() in _NO_USER:
            continue
        value = pair["value"].rstrip(".,;:)>]}")
        if value.lower() != pair["user"].lower() and shapes.is_password(value):
            yield Spot(pair.start("value"), pair.start("value") + len(value), "password")
            return


def read_characters(text: str, start: int, _end: int) -> Iterator[Spot]:
    """Java's ``load(in, "X".toCharArray())``: what a program keeps as characters where it opens a key store."""
    line = text.rfind("\n", max(0, start - 200), start) + 1
    value = _CHARACTERS.search(text, max(line, start - 200), start)
    opens = _OPENS_STORE.search(text, max(line, start - 200), start)
    if value and opens and shapes.is_password(value["value"], quoted=True):
        yield Spot(*value.span("value"), "password")


def has_login_beside(text: str, left: int) -> bool:
    """Does the name of a user with a value of its own stand shortly before, as in ``user: bob`` above ``password:``?"""
    for sibling in _SIBLING.finditer(text, max(0, left - 160), left):
        if not _LABELS.match(sibling["user"]) and "\n\n" not in text[sibling.end() : left]:
            return True
    return False


def _fits(value: str) -> bool:
    return shapes.is_password(value, quoted=True) or shapes.is_secret(value, quoted=True) or chosen.is_word(value)
