"""Places that plainly hold a secret: configurations of devices, calls, forms, tables by host, sentences."""

from __future__ import annotations

import random

import pytest

from recall_lab.redaction import Redactor
from tests.redaction import fakes

RNG = random.Random(47)
TOKEN = fakes.draw(RNG, fakes.B62, 40)
HEX = fakes.draw(RNG, fakes.HEX, 40)
PASSWORD = "Kestrel71" + "xQ4v"
CRYPT = "$6$" + fakes.draw(RNG, fakes.B62, 8) + "$" + fakes.draw(RNG, fakes.B62, 86)
APP = "nxli vuyb" + " tnnm ljyk"  # as mail accounts give them

HELD = {
    "enable secret": ("enable secret 0 {}", PASSWORD),
    "hashed enable secret": ("enable secret 5 {}\n!", "$1$wkVW$" + "nnzMEifQWBUj67QLQclqvc"),
    "user of a router": ("username admin privilege 15 secret 9 {}", "$9$" + fakes.draw(RNG, fakes.B62, 40)),
    "type 7": (" password 7 {}\n login", "076D953C06265A6A78"),
    "tacacs": ("tacacs-server host 10.0.0.4 key {}", PASSWORD),
    "isakmp": ("crypto isakmp key {} address 203.0.113.7", PASSWORD),
    "snmp": ("snmp-server community {} RO", PASSWORD),
    "junos": ('set system root-authentication encrypted-password "{}"', CRYPT),
    "shadow": ("deploy:{}:19000:0:99999:7:::", CRYPT),
    "drive": (r"net use Z: \\nas\share {} /user:corp\bob", PASSWORD),
    "task": (r"schtasks /create /tn b /ru CORP\svc /rp {} /sc daily", PASSWORD),
    "htpasswd": ("htpasswd -b -c .htpasswd admin {}", PASSWORD),
    "openvpn": ("<auth-user-pass>\nbob\n{}\n</auth-user-pass>", PASSWORD),
    "typed by space": ("param adminPassword string = '{}'", PASSWORD),
    "unattend": ("<Password><Value>{}</Value></Password>", PASSWORD),
    "multipart form": ('Content-Disposition: form-data; name="password"\r\n\r\n{}\r\n--b--', PASSWORD),
    "host map": ('{{"bearer": {{"packages.example.com": "{}"}}}}', HEX),
    "child key": ('encryption:\n    key: "{}"', fakes.draw(RNG, fakes.B64, 43) + "="),
    "owner of a field": ("config.secret_key = '{}'", fakes.draw(RNG, fakes.HEX, 128)),
    "validation key": ('<machineKey validationKey="{}" />', fakes.draw(RNG, "0123456789ABCDEF", 128)),
    "cookies of a program": ('cookies = {{"sessionid": "{}", "lang": "de"}}', TOKEN),
    "cookies set": ('client.cookies.set("sessionid", "{}")', TOKEN),
    "login": ('smtp.login("bob@example.org", "{}")', PASSWORD),
    "driver": ('DriverManager.getConnection("jdbc:h2:mem:x", "sa", "{}");', PASSWORD),
    "credential": ('new NetworkCredential("svc", "{}", "CORP")', PASSWORD),
    "key store": ('ks.load(in, "{}".toCharArray());', PASSWORD),
    "typed into a field": ("await page.getByLabel('Password').fill('{}');", PASSWORD),
    "filled by selector": ("await page.fill('#password', '{}');", PASSWORD),
    "prose": ("the staging login is admin / {} by the way", PASSWORD),
    "user and pass": ("use these: user bob@example.org, pass {}", PASSWORD),
    "German": ("Das Passwort für den Server lautet {} und bleibt so.", PASSWORD),
    "Portuguese": ("a senha do banco é {}", PASSWORD),
    "Spanish": ("usuario: admin\nclave: {}", PASSWORD),
    "Korean": ("비밀번호는 {} 입니다", PASSWORD),
    "generated": ("A temporary password is generated for root@localhost: {}", "yVNu,wCM;xcZ4"),
    "in the next line": ("Password for the elastic user (reset it later):\n  {}\n", TOKEN),
    "mail": ("spring.mail.password = {}\n", APP),
    "words": ('network={{\n    psk="{}"\n}}', "purple otters 179 dancing"),
    "plain word beside a user": ('{{"username": "root", "password": "{}"}}', "sunflower"),
    "plain word in a manifest": ("  username: rails\n  password: {}\n", "sunflower"),
    "plain word in SQL": ("CREATE USER app WITH PASSWORD '{}';", "sunflower"),
    "digest": ("addauth digest super:{}", PASSWORD),
    "proxy": ("stats auth admin:{}", PASSWORD),
    "domain": ("net ads join -U administrator%{}", PASSWORD),
    "access list": ("ACL SETUSER bob on >{} ~* +@all", PASSWORD),
    "Oracle": ("ALTER USER hr IDENTIFIED BY {};", PASSWORD),
    "second choice": ('password = providers.gradleProperty("x").orNull ?: "{}"', PASSWORD),
    "wireless": ('WiFi.begin("HomeNet", "{}");', PASSWORD),
    "account and token": ('client = Client("AC' + fakes.draw(RNG, fakes.HEX, 32) + '", "{}")', HEX[:32]),
    "bot": ('client.login("{}")', TOKEN),
    "Arista": ("username bob secret sha512 {}", CRYPT),
    "VyOS": ("set vpn ipsec peer 1.2.3.4 authentication pre-shared-secret '{}'", PASSWORD),
    "strongSwan": (': PSK "{}"', PASSWORD),
    "storage account": ("fs.azure.account.key.acme.dfs.core.windows.net={}", fakes.draw(RNG, fakes.B64, 86) + "=="),
    "German, changed": ("Ich habe das Kennwort auf {} geändert", PASSWORD),
    "German pair": ("Zugang: admin / {}", PASSWORD),
    "from a pipe": ("echo {} | gpg --batch --passphrase-fd 0 -d x.gpg", PASSWORD),
    "kickstart": ("rootpw --plaintext {}", PASSWORD),
    "directory": ("bindpw {}", PASSWORD),
    "aside": ("password (temporary): {}", PASSWORD),
    "owner": ("mot de passe admin: {}", PASSWORD),
    "no digit": ("aws_secret_access_key = {}", "SURXcZLyrOZMeen" + "wtvIhvzZDWbTUuoTCTCkBpDk"),
    "no digit in a header": ("Authorization: Bearer {}", "SURXcZLyrOZMeen" + "wtvIhvzZDWbTUuoTCTCkBpDk"),
    "no digit, unquoted": ("api_key: {}", "SURXcZLyrOZMeen" + "wtvIh"),
    "no digit, by index": ('os.environ["API_KEY"] = "{}"', "SURXcZLyrOZMeen" + "wtvIh"),
    "no digit, typed": ('API_KEY: str = "{}"', "SURXcZLyrOZMeen" + "wtvIh"),
    "no digit, in XML": ('<add key="ApiKey" value="{}"/>', "SURXcZLyrOZMeen" + "wtvIh"),
    "no digit, of a user": ("curl -u admin:{} https://example.org", "SURXcZLyrOZMeen" + "wtvIh"),
    "no digit, by a flag": ("mysql -uroot -p{} shop", "SURXcZLyrOZMeen" + "wtvIh"),
    "no digit, pass": ("pass: {}", "SURXcZLyrOZMeen" + "wtvIh"),
    "plain word set": ("I set POSTGRES_PASSWORD to {} in the container", "sapphire"),
}

BENIGN = [
    "no enable secret\nno service password-encryption",
    "snmp-server enable traps config",
    "aaa authentication login default group tacacs+ local",
    "crypto key generate rsa modulus 2048",
    "net user deploy * /add",
    "login as admin / manager / viewer to see the three roles",
    "log in with GitHub or Google",
    "sign in / sign out works again in 2.4.1",
    "user / group / other permissions 0755",
    "username and password authentication.",
    "POSTGRES_PASSWORD is required",
    'cookies = {"theme": "dark", "lang": "en-US"}',
    "session.login(user, password)",
    'login("user", "password")',
    'getConnection(url, "sa", "")',
    "await page.fill('#password', process.env.E2E_PASSWORD!);",
    "page.fill('#password', 'password')",
    "interface Login { username: string;\n  password: string;\n}",
    "class User:\n    username: str\n    password: SecretStr\n",
    '"username": "Benutzername",\n"password": "Kennwort",',
    "annotations:\n  checksum/secret: " + fakes.draw(random.Random(5), fakes.HEX, 64),
    "password: {{ .Values.auth.password | b64enc | quote }}",
    "UUID key: " + fakes.uuid(random.Random(6)),
    "TWILIO_ACCOUNT_SID=AC" + fakes.draw(random.Random(7), fakes.HEX, 32),
    '"passphrase": "Enter your passphrase again"',
    "the passphrase is 'at least 12 characters'",
    '{"host.example.com": {"port": 8443, "auth": "required"}}',
    'char[] parts = "a1-b2-c3".toCharArray();',
    "enter passphrase for disk Samsung_980 (luks-" + fakes.uuid(random.Random(8)) + ")",
    f'"hashed_secret": "{HEX}", "is_verified": false',
    f'"secretFingerprint": "{HEX}"',
    f"sha1(password1) = {HEX}",
    '"secret_arn": "arn:aws:secretsmanager:eu-west-1:123456789012:secret:x-5BQuEY"',
    "IDENTIFIED BY VALUES",
    "password policy: 90days",
    "password hash: pbkdf2sha256x",
    "password length: 12chars",
    "Password for the wiki:\n  see the handbook\n",
]


@pytest.mark.parametrize(("text", "secret"), HELD.values(), ids=HELD.keys())
def test_the_secret_of_its_place_is_found(redactor: Redactor, text: str, secret: str) -> None:
    shown = text.format(secret)
    (found,) = redactor.scan([shown])
    assert [shown[one.start : one.end] for one in found] == [secret]


@pytest.mark.parametrize("text", BENIGN)
def test_such_a_place_without_a_secret_stays(redactor: Redactor, text: str) -> None:
    assert redactor.redact([text])[0].text == text
