"""More places that hold a secret: statements of SQL, resources of clouds, calls, columns, names of services."""

from __future__ import annotations

import random

import pytest

from recall_lab.redaction import Redactor
from tests.redaction import fakes

RNG = random.Random(53)
TOKEN = fakes.draw(RNG, fakes.B62, 40)
HEX = fakes.draw(RNG, fakes.HEX, 32)
PASSWORD = "Kestrel71" + "xQ4v"
PHRASE = "Harbor-" + "Falcon-88"
AWS_ID = "AKIA" + fakes.draw(RNG, fakes.B32, 16)
AWS_SECRET = fakes.draw(RNG, fakes.B64, 40)
LETTERS = "nxlivuyb" + "tnnmljyk"  # as mail accounts give them, without gaps

HELD = {
    "columns of SQL": ("INSERT INTO users (email, password) VALUES ('bob@x.co', '{}');", PASSWORD),
    "second row of SQL": (
        "INSERT INTO apps (id, api_key)\nVALUES (1, NULL),\n  (2, '{}');",
        TOKEN,
    ),
    "value before the name": ("UPDATE settings SET value='{}' WHERE name='mail_api_key';", TOKEN),
    "value before the name in JSON": ('{{"value": "{}", "name": "MAIL_API_KEY"}}', TOKEN),
    "login of SQL Server": ("CREATE LOGIN app WITH PASSWORD = '{}';", PHRASE),
    "quoted mail": ("> the new mail token:\n>\n> {}\n>\n> Bye", TOKEN),
    "secure string": ('name  = "/app/mail_token"\n  type  = "SecureString"\n  value = "{}"\n', TOKEN),
    "secure string of a command": (
        'aws ssm put-parameter --name /prod/mail_api_key --type SecureString --value "{}"',
        HEX + "a1b2c3d4",
    ),
    "named value of another name": ('secret_name     = "MAIL_API_KEY"\n  plaintext_value = "{}"\n', TOKEN),
    "arrow": ("MAIL_API_KEY \u279c {}", HEX),
    "progress": ("Setting MAIL_API_KEY... {} done", HEX),
    "R": ('mail_api_key <- "{}"', HEX),
    "braces of C++": ('std::string mailApiKey{{"{}"}};', TOKEN),
    "braces of C++, short name": ('std::string ftpPass{{"{}"}};', PASSWORD),
    "aligned": ("NAME                  VALUE\nPADDLE_AUTH_CODE      {}\nREGION                eu\n", HEX),
    "aligned password": ("password    {}\nusername    bob\n", PASSWORD),
    "authorization code": ('"vendor_auth_code": "{}"', HEX + "a1b2c3d4e5"),
    "hash of an interface": ("TELEGRAM_API_HASH={}", HEX),
    "cookie of Erlang": ("- **RELEASE_COOKIE**: `{}`", TOKEN),
    "flag of Erlang": ("erl -name a@b -setcookie {} -noshell", TOKEN),
    "key of a service": ('"{{imgbbKey}}": "{}"'.replace("{{", "").replace("}}", ""), HEX),
    "private part of a key": ("'mj_apikey_private' => '{}',", HEX),
    "words and a number": ('DB_PASSWORD: "{}"', PHRASE),
    "words and a number, told": ("the password is {} btw", PHRASE),
    "words and a number in a call": ("client.connect('10.0.0.2', username='root', password='{}')", PHRASE),
    "words and a number in small letters": ('smtp.login("bob@example.org", "{}")', "quartz-" + "quartz-37"),
    "set in quotes": ('dotnet user-secrets set "App:DbPassword" "{}"', "lanternMaple" + "5666#"),
    "Oracle's driver": ('oracledb.connect("scott", "{}", "db/XEPDB1")', PASSWORD),
    "MySQL's driver": ('MySQLdb.connect("db", "root", "{}", "shop")', PASSWORD),
    "Sequelize": ("new Sequelize('app', 'root', '{}', {{ host: 'db' }})", PASSWORD),
    "authenticate": ('jedis.auth("{}");', PASSWORD),
    "authenticate with a user": ("request(app).get('/x').auth('bob', '{}')", PASSWORD),
    "pair in an array": ("'auth' => ['bob', '{}'],", PASSWORD),
    "certificate": ('new X509Certificate2("a.pfx", "{}")', PASSWORD),
    "secret beside its id": (f'StaticCredentials("{AWS_ID}", "{{}}", "")', AWS_SECRET),
    "secret below its id": (f"{AWS_ID}\n{{}}\n", AWS_SECRET),
    "cipher's key": ('key = b"{}"\ncipher = AES.new(key, AES.MODE_GCM)', TOKEN[:32]),
    "Fernet": ('Fernet(b"{}")', fakes.draw(RNG, fakes.URL64, 43) + "="),
    "cipher": ("createCipheriv('aes-256-cbc', '{}', iv)", TOKEN[:32]),
    "passwords of an image": ("chpasswd:\n  list: |\n    root:{}\n  expire: false", PASSWORD),
    "coverage": ("codecov -t {} -f cov.xml", fakes.uuid(RNG)),
    "time series": ("influx query -t {} 'from(bucket:1)'", fakes.draw(RNG, fakes.URL64, 86) + "=="),
    "registries": (".dockerconfigjson: {}", "eyJhdXRocyI6" + fakes.draw(RNG, fakes.B62, 60)),
    "accounts of a chain": ('accounts: ["{}"],', "0x" + HEX * 2),
    "wallet": ('wif = "{}"', "K" + fakes.draw(RNG, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 51)),
    "wireless": ("Wifi: Guest, key: {}", PASSWORD),
    "mail server": ("[smtp.example.org]:587 bob@example.org:{}", LETTERS),
    "reset": ("Password for the [elastic] user successfully reset.\nNew value: {}\n", TOKEN[:20]),
    "signing tool": ("signtool sign /f a.pfx /p {} /tr http://ts.example.org a.exe", PASSWORD),
    "version-like": ("set CI_TOKEN to {} in the dashboard", "v2." + "742flgleb1h3a8nd0qoj"),
    "file-like": ("SVIX_TOKEN = '{}'", "sk_" + fakes.draw(RNG, fakes.B62, 32) + ".eu"),
    "public-like": ("COURIER_AUTH_TOKEN={}", "pk_" + "prod_" + fakes.draw(RNG, fakes.UPPER + fakes.DIGITS, 28)),
    "salt that starts with a sign": ("define('AUTH_KEY',  '{}');", ";Ru[.]Y1U@Q7lC7BJGU_d/k&sNm?|!<G9x%K7~moS:T~t|^n"),
    "list of logins": ("bob@example.org:{}", "U9OCc5N1" + "OSaA"),
    "sign of a shell in quotes": ("snyk auth '{}'", "q7Xv&pL2" + "<mK9|zR4;tB8"),
    "returned": ('def mail_api_token():\n    return "{}"', HEX),
    "returned in braces": ("get adminPassword() {{ return '{}'; }}", PASSWORD),
    "child in YAML": ("MAIL_API_KEY:\n  default: {}\n  scope: prod", HEX),
    "curly quotes": ("\u201cMAIL_API_KEY\u201d = \u201c{}\u201d", HEX),
    "default of a field": ('client_key_password: str = Field(default="{}")', PASSWORD),
    "tag": ("  MAIL_API_KEY: !!str {}", HEX),
    "anchor": ('  pgPassword: &tok "{}"', PASSWORD),
    "conditional in make": ("BACKUP_PASSPHRASE ?= {}", PASSWORD),
    "bold in HTML": ("<b>REGISTRY_PASSWORD</b>: <code>{}</code>", PASSWORD),
    "replaced": ("Please update MAIL_SECRET from {} to the new one.", HEX[:16]),
    "identifier as key": ("SMITHERY_KEY={}", fakes.uuid(RNG)),
    "answer of a shell": ("$ echo $MAIL_API_SECRET\n{}\n", TOKEN),
    "answer of a command": ("$ heroku config:get MAIL_API_TOKEN\n{}", HEX),
    "answer of a vault": ("$ vault kv get -field=mail_api_key secret/app\n{}\n$ ", TOKEN),
    "answer of an interpreter": (">>> settings.MAIL_PASSWORD\n'{}'\n", PASSWORD),
    "answer of a session": ("irb> ENV['MAIL_API_KEY']\n=> \"{}\"", HEX),
    "attributes the other way round": ('<add value="{}" key="MailApiKey"/>', HEX),
    "parameter of a servlet": (
        "<context-param>\n  <param-name>mail_token</param-name>\n  <param-value>{}</param-value>",
        TOKEN,
    ),
    "default of a schema": ('MAIL_API_KEY: z.string().default("{}"),', HEX),
    "stubbed": ('allow(ENV).to receive(:[]).with("MAIL_API_KEY").and_return("{}")', HEX),
    "hardcoded": ("can you hardcode {} as MAIL_API_SECRET for now?", TOKEN),
    "created": ("Your mail api key has been created: {}", TOKEN),
    "created password": ("Your db pass has been created: {}", PASSWORD),
    "asked for": ("? What is your mail token? \u203a {}", TOKEN),
    "named error": ('error: MAIL_ACCESS_TOKEN "{}" is not valid', HEX),
    "parameter of a stack": ("  MailToken:\n    Type: String\n    Default: {}\n", HEX),
    "string of a parameter": ('{{ parameterName: "/x/mail_secret", stringValue: "{}" }}', HEX),
    "data of an application": ('<meta-data android:name="com.x.MAIL_TOKEN" android:value="{}"/>', HEX),
    "member in between": ('{{"id":"mail_secret","secret":true,"value":"{}"}}', HEX),
    "cell before another": ("|MAIL_TOKEN|{}|production|", HEX),
    "hexadecimal of an unknown service": ("acmemail_key = '{}'", HEX),
    "bytes of Go": ('mailPassword := []byte("{}")', PASSWORD),
    "typed bytes of Go": ('var mailSecret []byte = []byte("{}")', HEX),
    "bytes of Python": ('mail_password = bytes("{}", "utf-8")', "rRqv3x+v" + "M1G7XG"),
    "set by a method": ('mail_api_key.set("{}")', HEX),
    "member on two lines": ('"mail_client_secret":\n      "{}",', TOKEN),
    "constant on two lines": ('const MAIL_DB_PASSWORD =\n  "{}";', PASSWORD),
    "pass on two lines": ("mail_pass:\n    {}\n", PASSWORD),
    "in parentheses": ('mail_access_key = (\n    "{}"\n)', TOKEN),
    "continued line": ("MAIL_SECRET=\\\n{}\n", TOKEN),
    "dumped by PHP": ('["mail_token"]=>\n  string(32) "{}"', HEX),
    "environment of Elixir": ('Application.put_env(:app, :mail_token, "{}")', HEX),
    "would be": ("so the mail api key would be {} then?", TOKEN),
    "exported as": ("I already exported MAIL_ADMIN_PASSWORD as {}.", PASSWORD),
    "with value": ("please add `MAIL_BOT_TOKEN` with value `{}`", HEX),
    "mail account": ("auth: {{ user: 'a@b.co', pass: '{}' }}", "ctjo wyng" + " rjjg hmsa"),
    "dashed account": ('"appleAppSpecificPassword" : "{}"', "nula-ayev" + "-pnrw-ttde"),
}

BENIGN = [
    "INSERT INTO users (email, password) VALUES (?, ?);",
    "INSERT INTO users (id, password_hash, token_type) VALUES (1, NULL, 'bearer2');",
    "INSERT INTO items (sku, name) VALUES ('A1b2C3d4E5f6G7h8', 'key ring 12');",
    "UPDATE settings SET value='https://api.example.org/v1' WHERE name='token_url';",
    '{"value": "eu-west-1", "name": "SECRET_REGION"}',
    'type = "SecureString"\n  value = var.mail_token\n',
    "SETTING            VALUE\nTOKEN_TTL          3600s\nPASSWORD_POLICY    strict12\n",
    "password    required\npassword    sha512crypt\n",
    "the Password    Strength2 meter",
    "spec:\n  encryptedData:\n    password: AgB" + fakes.draw(random.Random(3), fakes.B64, 240),
    "pk.eyJ1Ijoi" + fakes.draw(random.Random(4), fakes.B62, 50) + "." + fakes.draw(random.Random(5), fakes.URL64, 22),
    "STRIPE_PUBLIC=pk_" + "live_" + fakes.draw(random.Random(6), fakes.B62, 24),
    "passport.authenticate('google')",
    "firebase.auth('web2-app')",
    "app.auth('github-2fa', options)",
    "password: My-Password-12",
    "existingSecret: Postgres-Auth-2024",
    'dbPassword: "database-password-2"',
    "auth_code = request.args['code']",
    "new X509Certificate2(path, password)",
    "createCipheriv('aes-256-cbc', key, iv)",
    "Fernet(Fernet.generate_key())",
    'key = b"row-key-0001"\ntable.put(key, value)',
    "Wifi: Guest, key: see the board in room 12",
    "accounts: [process.env.DEPLOYER_KEY]",
    "signtool sign /f a.pfx /p %PFX_PASSWORD% a.exe",
    f"image: {AWS_ID[:4]}IOSFODNN7EXAMPLE\nsha {HEX}a1b2c3d4",
    "Setting up tokens... 3 of 12 done",
    "def token_type():\n    return 'bearer2'",
    "def get_password(self) -> str:\n        return self._password1",
    "DbPassword: !Ref MasterPassword1",
    "password: &default ~",
    "API_KEY:\n  default: null\n  description: key of the API, 32 characters",
    "NEXT_PUBLIC_SITE_KEY=" + fakes.uuid(random.Random(8)),
    "the token moved from v1beta1 to v1",
    "TEST-1234-5678 APP_USR-v2",
    f"blobKey = '{HEX}'",
    f"BUILD_KEY={HEX}a1b2c3d4",
    f'"contentKey": "{HEX}"',
    f"$ git show-ref token-fix\n{HEX}a1b2c3d4\n",
    "$ cat secrets.py\nimport_module2\n",
    "def get_api_key(self):\nclass_2\n",
    "Your password has been changed: see account2",
    '<add value="true" key="UseTokens2"/>',
    "[client]\npassword=required\nhost=127.0.0.1\n",
    "the token would be refreshed in 3600s",
    "passes the api key as header2 parameter",
    "theme_key.set('dark-mode-2')",
    '"token":\n      "string",\n',
    "let token = (\n    next_token2\n)",
    "auth_token = []byte(cfg.Token2)",
    "scp notes.txt bob@example.org:Backup2024",
    "git clone git@example.org:Acme2Labs.git",
    "git log --oneline -t 3fa9c1d",
]


@pytest.mark.parametrize(("text", "secret"), HELD.values(), ids=HELD.keys())
def test_the_secret_of_its_place_is_found(redactor: Redactor, text: str, secret: str) -> None:
    shown = text.format(secret)
    left = redactor.redact([shown])[0].text
    assert secret not in left
    found = sum(one.end - one.start for one in redactor.scan([shown])[0])
    assert found <= len(secret) + (len(AWS_ID) + 1 if AWS_ID in shown else 2)


@pytest.mark.parametrize("text", BENIGN)
def test_such_a_place_without_a_secret_stays(redactor: Redactor, text: str) -> None:
    assert redactor.redact([text])[0].text == text
