"""Credentials on command lines: ``curl -u``, ``mysql -pX``, ``echo X | docker login --password-stdin``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from recall_lab.redaction import shapes
from recall_lab.redaction.records import Spot
from recall_lab.redaction.vocabulary import word_set

_COMMANDS = (
    "curl|wget|http|https|xh|httpie|sshpass|mysql|mysqldump|mysqladmin|mariadb|mongo|mongosh|mongodump|mongorestore|sqlcmd|bcp|"
    "snowsql|redis-cli|valkey-cli|docker|podman|helm|skopeo|nerdctl|buildah|crane|oras|az|zip|unzip|7z|7za|rar|unrar|openssl|"
    "ldapsearch|ldapadd|ldapmodify|ldappasswd|conan|jarsigner|smbclient|rpcclient|xfreerdp|rclone|htpasswd|keytool|gpg|ssh-keygen|influx|cqlsh|"
    "clickhouse-client|cypher-shell|lftp|svn|mc|ipmitool|snmpwalk|snmpget|rabbitmqadmin|mosquitto_pub|mosquitto_sub|nats|trino|"
    "argocd|oc|cf|kcadm|psexec|crackmapexec|evil-winrm|net|runas|cmdkey|psql|sqlplus|impala-shell|beeline|nmcli|wpa_passphrase|"
    "security|jfrog|jf|nexus|gradle|mvn|twine|expect|hydra|ftp|ncftp|sftp|useradd|usermod|cryptsetup|borg|restic|duplicity|bw|lpass|keybase|nuget|check_http"
)
_COMMAND = re.compile(rf"(?:^|[\s;&|(\"'`/\[,$])(?P<command>{_COMMANDS})(?:\.exe)?[\"',\s\\]")
_OPTION = re.compile(r"(?P<option>--?[A-Za-z-]+|/p:|/user:\S+)(?P<gap>(?:[ \t=\"',\\]|\\n){0,8})")
_WORD = re.compile(r"(?P<esc>\\{0,7})(?P<quote>[\"'])(?P<quoted>[^\"'\n\\]{2,512})|(?P<bare>[^\s\"'`|;<>\\]{2,512})")
_PAIR_OPTIONS = frozenset(("-u", "--user", "-U", "--proxy-user", "--userpwd", "-a", "--auth"))
_PAIR_COMMANDS = word_set("curl http https xh httpie smbclient rpcclient snowsql ftp lftp check_http")
_HTTP_COMMANDS = word_set("http https xh httpie")
_AUTH_OPTIONS = frozenset(("-a", "--auth"))
_PASSWORD_OPTIONS = {
    "-p": word_set(
        """
    sshpass mysql mysqldump mysqladmin mariadb mongo mongosh mongodump mongorestore docker podman helm skopeo
    nerdctl buildah crane oras az snowsql cqlsh evil-winrm crackmapexec psexec oc cf rar unrar 7z 7za argocd jf
    jfrog twine svn bcp influx cypher-shell rabbitmqadmin useradd usermod hydra kcadm beeline conan security nuget
    """
    ),
    "-P": word_set("sqlcmd bcp zip unzip mosquitto_pub mosquitto_sub ipmitool"),
    "-a": frozenset(("redis-cli", "valkey-cli")),
    "-w": word_set("security ldapsearch ldapadd ldapmodify ldappasswd"),
    "-W": frozenset(("keytool",)),
    "-k": frozenset(("openssl",)),
    "-K": frozenset(("openssl",)),
    "-pass": frozenset(("openssl",)),
    "-passin": frozenset(("openssl",)),
    "-passout": frozenset(("openssl",)),
    "-storepass": frozenset(("keytool", "jarsigner")),
    "-keypass": frozenset(("keytool", "jarsigner")),
    "-A": frozenset(("snmpwalk", "snmpget")),
    "-X": frozenset(("snmpwalk", "snmpget")),
    "-N": frozenset(("ssh-keygen",)),
}
_GLUED_COMMANDS = word_set("mysql mysqldump mysqladmin mariadb 7z 7za rar unrar sshpass mongo")
_GLUED = re.compile(r"-p(?P<quote>[\"']?)(?P<value>[^\s\"'`|;&<>\\]{4,256})")
_PIPED = re.compile(
    r"(?:echo|printf|print|Write-Output)[ \t]+(?:-[neE]+[ \t]+)?(?:[\"']%s(?:\\n)?[\"'][ \t]+)?\\{0,7}[\"']?"
    r"(?P<value>[^\s\"'`|\\]{6,4096})\\{0,7}[\"']?[ \t]*\|[^|\n]{0,160}$"
)
_ABOUT_SECRETS = re.compile(r"(?i)secret|token|passw|\bpass\b|login|auth|env (?:add|set)|key")
_HERE_STRING = re.compile(r"[^\n|;]{0,160}<<<[ \t]{0,4}\\{0,7}[\"']?(?P<value>[^\s\"'`|;\\]{6,4096})")
_LOGIN_PAIR = re.compile(
    r"(?i)(?:basic_?auth|auth\w{0,12}[\"']?[ \t]{0,2}(?:=>|[=:])?)[ \t]{0,2}[(\[][ \t]{0,4}"
    r"(?:username[ \t]?=[ \t]?)?(?:\\?[\"'][^\"'\n]{0,80}[\"']|[\w.]{1,40})"
    r"[ \t]{0,4},[ \t]{0,4}(?:password[ \t]?=[ \t]?)?(?:Some\()?\\?[\"'](?P<value>[^\"'\n\\]{4,200})"
)
# Commands that take a password by its place, with the pattern of what stands before it.
_BY_PLACE = re.compile(
    r"""(?x)
    (?: vault[ ]login | cargo[ ]login | npm[ ]token | snmp-server[ ]community
      | rabbitmqctl[ ](?:add_user|change_password|authenticate_user)[ ]\S+
      | net[ ]user[ ]\S+
      | net[ ]use[ ](?:\S{1,3}:[ ])?\\\\\S+(?=[ ][^/])
      | net[ ]use[ ][^\n|;]{0,120}?/user:\S+
      | requirepass | masterauth | AUTH(?:[ ]default)? | (?<=\n)PASS | LOGIN[ ][\w.@-]{1,60}
      | (?i:set[ ]password(?:[ ]for[ ][^\n=;]{1,80}?)?[ ]?=(?:[ ]?password\()?)
      | htpasswd[ ]-[a-zA-Z]*n[a-zA-Z]*[ ]\S+
      | htpasswd(?:[ ]-[a-zA-Z]+){0,3}[ ]-[a-zA-Z]*b[a-zA-Z]*(?:[ ]-[a-zA-Z]+){0,3}[ ]\S+[ ]\S+
      | addauth[ ]digest[ ]\S+?: | stats[ ]auth[ ]\S+?: | cache_peer[ ][^\n]{1,120}?[ ]login=\S+?:
      | net[ ](?:ads|rpc)[ ][^\n|;]{0,80}?-U[ ]?[^\s%]+%
      | ACL[ ]SETUSER[ ]\S+[ ](?:on[ ]|resetpass[ ]){0,2}> | NEO4J_AUTH=neo4j/
      | rootpw[ ](?:--(?:plaintext|iscrypted)[ ])? | bindpw | NickServ[ ]IDENTIFY
      | /rp | <auth-user-pass>\s+\S+(?=\s) | password-file[= ]<\((?:echo|printf)(?:[ ]-n)?
      | poetry[ ]config[ ](?:--[\w-]+[ ]){0,3}(?:pypi-token\.\S+|http-basic\.\S+[ ]\S+)
      | composer[ ]config[ ](?:-{1,2}[\w-]+[ ]){0,3}(?:[\w-]{0,20}(?:oauth|token|bearer)\.\S+|http-basic\.\S+[ ]\S+)
      | bundle[ ]config[ ](?:set[ ])?(?:--[\w-]+[ ]){0,3}\S+\.\S+[ ]\w{1,40}:
      | snyk[ ]auth | wandb[ ]login | service[ ]install | bw[ ]unlock | wpa_passphrase[ ]\S+ | encrypt_string
      | mc[ ]alias[ ]set[ ]\S+[ ]\S+[ ]\S+
      | mysqladmin[ ][^\n|;]{0,80}?password
      | (?:[cC]onvert[tT]o-[sS]ecure[sS]tring)(?:[ ]-String)?
      | ::add-mask::
      | -setcookie | (?:codecov|influx)[ ][^\n|;]{0,60}?-t | signtool[ ][^\n|;]{1,160}?[ ]/p
      | chpasswd:\s+list:[ ]?[|>]?[+-]?\s+[\w.-]{1,32}: | \]:(?:25|465|587)[ \t]+[^\s:]{3,80}:
      | vault[ ]write[ ][^\n|;]{0,160}?[ ]secret_id= | Secret[ ]ID[ ]{1,8}= | <Pass[ ]encoding="base64">
      | (?:mysql|pgsql)_servers[ ]?=[ ]?[^/\s]{1,60}/[^/\s]{1,60}/[^/\s]{1,60}/
      | \.dockerconfigjson[\\"']{0,4}[ ]?:[ ]? | accounts["']{0,2}[ ]?[:=][ ]?\[ | successfully[ ]reset\.\s+New[ ]value:
      | (?i:SecureString["']?(?:,?\s+["']?value["']?[ ]{0,8}[:=]|[ ]--value[ =]?))
    )\s*(?=[\S])
    """
)
# Calls that sign with a key of their arguments.
_ARGUMENT = re.compile(r"[\[(,=][ \t]{0,4}[bBfFrRuU]{0,2}\\{0,3}[\"'](?P<value>[^\"'\\\n]{8,512})\\{0,3}[\"']")
_LONGEST_CALL = 600
_THIN = re.compile(r"(?::thin:|sqlplus[ ]+)[\w$#.]{1,60}/(?P<value>[^\s@\"'/]{4,200})@")
_DATABASE_LOGIN = re.compile(r"(?:^|[\s\"'`=])[\w.-]{1,60}:(?P<value>[^\s\"'`@/]{4,200})@$")
_MAIL_PASSWORD = re.compile(r"[^\s\"'`<>,|]{6,64}(?=[\s\"'`,)|]|\Z)")
_PLACED = re.compile(r"\\{0,7}[\"']?(?P<value>(?<=[\"'])[^\s\"'`\\]{4,512}(?=[\"'])|[^\s\"'`|;&<>\\]{4,512})")


def read_option(text: str, start: int, _end: int) -> Iterator[Spot]:
    """The value of a short option, where the command on the same line makes it a credential."""
    command = _command(text, start)
    if command is None:
        return
    option = _OPTION.search(text, start, start + 48)
    if not option:
        return
    word = _WORD.match(text, option.end())
    if not word:
        return
    group = "quoted" if word["quoted"] else "bare"
    value, at = word[group], word.start(group)
    name = option["option"]
    if group == "bare":
        value = value.rstrip(",)]}")
    if command == "lftp" and "," in value:
        value = value.replace(",", ":", 1)
    if ":" in value and (name in _PAIR_OPTIONS and command in _PAIR_COMMANDS):
        user, _, password = value.partition(":")
        if _fits(password, quoted=True) and not (user and shapes.is_reference(user, quoted=False)):
            yield Spot(at + len(user) + 1, at + len(value), "password")
        elif not password and shapes.is_secret(user):
            yield Spot(at, at + len(user), "password")
    elif name in _PAIR_OPTIONS and "%" in value and command in _PAIR_COMMANDS:
        user, _, password = value.partition("%")
        if _fits(password, quoted=True):
            yield Spot(at + len(user) + 1, at + len(value), "password")
    elif name in _AUTH_OPTIONS and command in _HTTP_COMMANDS and shapes.looks_random(value):
        yield Spot(at, at + len(value), "bearer_token")
    elif command in _PASSWORD_OPTIONS.get(name, ()) or name == "/p:":
        value, at = _without_source(value, at)
        if _fits(value, quoted=True):
            yield Spot(at, at + len(value), "password")


def read_glued_option(text: str, start: int, _end: int) -> Iterator[Spot]:
    """``mysql -pSECRET``: the password follows the option at once."""
    found = _GLUED.match(text, start)
    if not found or _command(text, start) not in _GLUED_COMMANDS:
        return
    if _fits(found["value"], quoted=bool(found["quote"])):
        yield Spot(found.start("value"), found.end("value"), "password")


def read_piped(text: str, start: int, _end: int) -> Iterator[Spot]:
    """What is echoed into a command that reads a password or token from its input."""
    line = text.rfind("\n", max(0, start - 4096), start) + 1
    piped = _PIPED.search(text, max(line, start - 4096), start)
    found = piped or _HERE_STRING.match(text, start)
    if not found or (text.startswith("<<<", start) and not _ABOUT_SECRETS.search(text, max(line, start - 160), start)):
        return
    value, at = found["value"], found.start("value")
    if text.startswith("chpasswd", start) and ":" in value:
        user = value.split(":", 1)[0]
        value, at = value[len(user) + 1 :], at + len(user) + 1
    if _fits(value, quoted=True):
        yield Spot(at, at + len(value), "password")


def _command(text: str, start: int) -> str | None:
    """The last known command before ``start`` on its line, continuation lines included."""
    low = max(0, start - 600)
    line = text.rfind("\n", low, start)
    while line > low and text[line - 1] == "\\":
        line = text.rfind("\n", low, line)
    return _last_command(text[max(low, line) : start + 1])


@lru_cache(maxsize=64)
def _last_command(line: str) -> str | None:
    last = None
    for found in _COMMAND.finditer(line):
        last = found["command"]
    return last


def _without_source(value: str, at: int) -> tuple[str, int]:
    """``pass:X`` of openssl names its source first."""
    if value.startswith("pass:"):
        return value[5:], at + 5
    return value, at


def _fits(value: str, *, quoted: bool) -> bool:
    if value.startswith(("file:", "env:", "fd:", "/", "-", "@", "./", "~")):
        return False
    return shapes.is_password(value, quoted=quoted) or shapes.is_secret(value, quoted=quoted)


def read_place(text: str, start: int, _end: int) -> Iterator[Spot]:
    """The password that a command takes by its place, as ``net user bob X`` does."""
    found = _THIN.match(text, start)
    if text[start] == "@":  # user:password@tcp(host:port)/database, as Go's drivers write it
        found = _DATABASE_LOGIN.search(text, max(0, start - 280), start + 1)
    elif not found:
        command = _BY_PLACE.match(text, start)
        found = _PLACED.match(text, command.end()) if command else None
    if found and _fits(found["value"], quoted=True):
        yield Spot(found.start("value"), found.end("value"), "password")


def read_mail_login(text: str, _start: int, end: int) -> Iterator[Spot]:
    """A mail address with a password behind it: ``bob@example.org:X``, ``bob@example.org / X``."""
    found = _MAIL_PASSWORD.match(text, end)
    value = found[0].rstrip(".,;)") if found else ""
    if not value or "/" in value or not any(map(str.isdigit, value)) or shapes.is_benign(value):
        return
    several = any(map(str.isupper, value)) and any(map(str.islower, value))
    random = text[end - 1] in " |" or shapes.looks_random(value, shortest=8, odd=0.45)  # not user@host:folder
    if several and random and shapes.is_password(value):
        yield Spot(end, end + len(value), "password")


def read_keyed_call(text: str, _start: int, end: int) -> Iterator[Spot]:
    """The key among the arguments of a call that signs: ``createHmac("sha256", "X")``, ``jwt.sign(payload, "X")``."""
    line_end = text.find("\n", end, end + _LONGEST_CALL)
    limit = line_end if line_end >= 0 else min(len(text), end + _LONGEST_CALL)
    for argument in _ARGUMENT.finditer(text, end, limit):
        if shapes.is_secret(argument["value"], quoted=True):
            yield Spot(argument.start("value"), argument.end("value"), "generic_secret")


def read_login_pair(text: str, start: int, _end: int) -> Iterator[Spot]:
    """User and password as arguments: ``HTTPBasicAuth("bob", "X")``, ``auth=("bob", "X")``."""
    pair = _LOGIN_PAIR.match(text, start) or _LOGIN_PAIR.match(text, start + 1)
    if pair and _fits(pair["value"], quoted=True):
        yield Spot(pair.start("value"), pair.end("value"), "password")
