"""Secrets are taken out where text enters the doctor, so that no fact, report or file of ours can hold one.

Two gates: `hide_in_value` for a variable, whose name tells most, and `hide_in_text` for a line of anything. Both leave
ordinary training output alone: a tokenizer, a ``pad_token``, ``key points`` and ``auth ok`` are no secrets.
"""

from __future__ import annotations

import re
from collections.abc import Callable

HIDDEN = "<hidden>"

#: Words of a name that make its value a secret, wherever they stand in it (``MYSQL_ROOT_PASSWORD``, ``dbpassword``).
_TELLING = (
    r"(?i)passw|passphrase|secret|credential|(?:api|access|private)[ _-]?key|(?:auth|access|bearer)[_-]?token"
    r"|mysql_?pwd|密码|口令|密钥|令牌"
)
#: Words that do so in the name of a variable if they stand alone in it (``WANDB_KEY``, not ``KEYBOARD``).
_SECRET_WORDS = frozenset(
    "token tokens key keys sessionkey pwd pass auth authorization cookie cookies "
    "sas sk ak dsn pat sig signature".split()
)
#: What makes of ``token`` a piece of text that a model reads.
_LANGUAGE_MODEL_WORDS = frozenset(
    "bos eos pad unk mask sep cls special next prev first last start end stop new added type types id ids embedding "
    "image video audio max min num n per total avg mean count len length size level drop loss acc".split()
)
#: Variables of Paddle and of the tools around it whose names look like secrets and are not.
_HARMLESS_NAME = r"(?i)^(FLAGS_|PADDLE_|NCCL_|GLOO_|CUDA_|SSH_AUTH_SOCK$|PWD$|OLDPWD$)"
_CAMEL_HUMP = r"(?<=[a-z0-9])(?=[A-Z])"
_WORD_END = r"[^A-Za-z0-9]+"
_PLAIN_VALUE = r"(?i)[-+]?[\d.,%e]+|none|null|nil|true|false|yes|no|on|off|\*+|<[^<>]*>|\[[^\[\]]*\]?|[\[{(]+"

_URL = r"""(?x) (?P<scheme> (?<![A-Za-z0-9]) [a-zA-Z][a-zA-Z0-9+.-]{0,20} ://) (?:
      [^\s/'"<>]{1,512} @                                       # user:password@, the password may hold an @
    | [^\s/:@'"<>]{0,128} : (?!\d{1,5}(?:/|$)) [^\s@'"<>]{1,256} @  # the password holds a /
    )"""
#: An address without a scheme, as in a list of endpoints; the port tells it from prose.
_USER_AT_HOST = r"""(?x) (?<![\w./:@-]) (?P<user> [\w.-]{1,64} ) : (?!//|[\d.]+@) [^\s/:@,'"<>]{3,128}
    @ (?P<host> (?: [\w.-]{1,128} | \[[0-9a-fA-F:]{2,40}\] ) : \d{1,5} \b )"""
_URL_QUERY = r"""(?ix) (?P<name> [?&;] [\w.%-]{0,40}?
        (?:signature|sig|token|key|key_?id|credential|auth|authorization|secret|passw(?:or)?d|sk|ak) =)
    [^\s&;'"<>]{3,4000}"""
_WEBHOOK = r"""(?ix)
    (?P<host> hooks\.slack\.com/services | oapi\.dingtalk\.com/robot | discord(?:app)?\.com/api/webhooks )
    / [^\s'"]{8,400}"""
_KNOWN_TOKENS = r"""(?x) (?<![A-Za-z0-9]) (?:
      (?:hf|api_org)_ (?=[a-z]*[A-Z0-9]) [A-Za-z0-9]{16,128}
    | gh[pousr]_[A-Za-z0-9]{20,255} | github_pat_[A-Za-z0-9_]{20,255} | glpat-[A-Za-z0-9_-]{16,64}
    | sk-(?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9_-]{20,200}
    | [rsp]k_(?:live|test)_[A-Za-z0-9]{10,200}
    | xox[abeoprs]-[A-Za-z0-9-]{10,250} | xapp-[A-Za-z0-9-]{10,250}
    | (?:AKIA|ASIA)[A-Z0-9]{16} (?![A-Za-z0-9]) | LTAI[A-Za-z0-9]{12,26} | AKID[A-Za-z0-9]{13,40}
    | AIza[A-Za-z0-9_-]{30,50} | ya29\.[A-Za-z0-9_-]{20,400}
    | eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{0,1000}
    | bce-v3/[A-Za-z0-9/_-]{16,200} | bce-auth-v1/[^\s'"]{16,400}
    | npm_[A-Za-z0-9]{30,60} | pypi-[A-Za-z0-9_-]{40,400} | dckr_pat_[A-Za-z0-9_-]{16,64} | r8_[A-Za-z0-9]{30,60}
    | SG\.[A-Za-z0-9_-]{16,40}\.[A-Za-z0-9_-]{16,80} | wandb_v1_[A-Za-z0-9_]{20,200}
    )"""
_TOKEN_MARKS = tuple(
    "hf_ api_org_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- sk- k_live_ k_test_ xox xapp- akia asia ltai akid aiza "
    "ya29. eyj bce- npm_ pypi- dckr_pat_ r8_ sg. wandb_v1_".split()
)
#: A name that holds a telling word, what stands between, and the value: in quotes, or up to a space.
_ASSIGNMENT = r"""(?ix) (?P<word>
        passw | passphrase | secret | credential | token | (?:api|access|private)[ _-]?key | 密码 | 口令 | 密钥 | 令牌
        | (?<=_)(?:key|pwd|pass|auth|sk|ak|pat|dsn|cookie) \b )
    (?P<rest> [a-z0-9_.-]{0,40} )
    (?P<between> ['"]? \]? (?: \s{0,3} (?:=>|:=|[:=：]) \s{0,3} | [ ](?![-&|<>]) | (?<=['"]),[ ]?(?=['"][^-]) ) )
    (?P<value> b?'[^'\n]{1,4000}'? | b?"(?:[^"\\\n]|\\.){1,4000}"? | [^\s'",;&)}]{1,4000} )"""
_NAME_MARKS = tuple(
    "passw passphrase secret credential token key 密码 口令 密钥 令牌 "
    "_pwd _pass _auth _sk _ak _pat _dsn _cookie".split()
)
_NAME_BEFORE = r"[A-Za-z0-9_.-]{0,60}$"
_HEADER = r"""(?ix) (?P<name> (?<![\w-])
        (?: (?:proxy-)?authorization | (?:set-)?cookie | x-[a-z-]{0,20}(?:key|token|secret) ) ['"]? \s? [:=] \s? ['"]? )
    [^'"\r\n]{3,8000}"""
_BEARER = r"(?i)(?<![a-z0-9])(?P<word>bearer|basic)\s{1,3}(?=[a-z._~+/-]{0,100}[0-9=])[A-Za-z0-9._~+/=-]{12,4000}"
_COMMANDS = r"""(?x) (?P<before>
        \b sshpass \s+ -p \s* | \b wandb \s+ login \s+ (?:--\w+\s+){0,4}
        | \b curl \s [^|\n]{0,200}? \s (?:-u|--user) \s+ ) [^\s-]\S*"""
_PRIVATE_KEY = r"(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----.*"
#: A line of a private key whose other lines stand elsewhere. A checksum in hexadecimal is none.
_KEY_BODY = (
    r"(?m)^[ \t]*(?=[A-Za-z0-9+/]{0,63}[a-z])(?=[A-Za-z0-9+/]{0,63}[G-Z])(?=[A-Za-z0-9+/]{0,63}[0-9])"
    r"[A-Za-z0-9+/]{64}[ \t]*$"
)


def hide_in_value(name: str, value: str) -> str:
    """The value of a variable, or `HIDDEN` if its name says that it is a secret; secrets inside it are hidden."""
    if value and _variable_is_secret(name):
        return HIDDEN
    return hide_in_text(value)


def hide_in_text(text: str) -> str:
    """A line of anything (or several) with the secrets in it hidden: credentials in URLs, well-known tokens,
    ``password=...``, headers, options of commands. Takes time linear in the length of the text.
    """
    small = text.lower()
    for marks, pattern, hidden in _KINDS:
        if any(mark in small for mark in marks):
            text = re.sub(pattern, hidden, text)
    return re.sub(_KEY_BODY, HIDDEN, text) if len(text) >= 64 else text


def _variable_is_secret(name: str) -> bool:
    if re.search(_TELLING, name):
        return True
    words = _words(name)
    if re.search(_HARMLESS_NAME, name):
        return bool(words & {"token", "key", "ak", "sk"})
    return bool(words & _SECRET_WORDS or _ends_in_token(name)) and not words & _LANGUAGE_MODEL_WORDS


def _hide_assigned(match: re.Match[str]) -> str:
    before = re.search(_NAME_BEFORE, match.string[max(0, match.start() - 60) : match.start()])
    name = (before.group() if before else "") + match["word"] + match["rest"]
    value = match["value"].lstrip("b").strip("'\"")
    if re.fullmatch(_PLAIN_VALUE, value) or not _is_assigned_a_secret(name, match["between"], value):
        return match.group()
    quote = next((mark for mark in "'\"" if match["value"].endswith(mark)), "")
    return f"{match['word']}{match['rest']}{match['between']}{quote}{HIDDEN}{quote}"


def _is_assigned_a_secret(name: str, between: str, value: str) -> bool:
    """Whether ``name between value`` tells a secret: prose and code hold such names too, and mean no harm."""
    is_option = name.startswith("-")
    if (between == " " or "," in between) and not is_option:
        return False  # "secret service", "token embedding"; an option and its value may stand in a list
    if name.isupper() and re.sub(_WORD_END, "", name):
        return _variable_is_secret(name)  # NAME=value, as in a dump of an environment
    if _words(name) & _LANGUAGE_MODEL_WORDS:
        return False
    if re.search(_TELLING, name):
        return True
    if not _ends_in_token(name):
        return False
    return is_option or len(value) >= 16 or (len(value) >= 6 and any(letter.isdigit() for letter in value))


def _words(name: str) -> set[str]:
    return {word.lower() for word in re.split(_WORD_END, re.sub(_CAMEL_HUMP, "_", name))}


def _ends_in_token(name: str) -> bool:
    return name.lower().endswith("token")


#: In this order: what marks a kind (one of it is in every match, in small letters), its pattern, what is put there.
#: The patterns are strings, compiled by `re` at their first use: most runs of the doctor meet few of them.
_KINDS: tuple[tuple[tuple[str, ...], str, str | Callable[[re.Match[str]], str]], ...] = (
    (("://",), _URL, rf"\g<scheme>{HIDDEN}@"),
    (("@",), _USER_AT_HOST, rf"\g<user>:{HIDDEN}@\g<host>"),
    (("://",), _URL_QUERY, rf"\g<name>{HIDDEN}"),
    (("://", ".com/"), _WEBHOOK, rf"\g<host>/{HIDDEN}"),
    (("private key",), _PRIVATE_KEY, HIDDEN),
    (_TOKEN_MARKS, _KNOWN_TOKENS, HIDDEN),
    (("authorization", "cookie", "x-"), _HEADER, rf"\g<name>{HIDDEN}"),
    (("bearer", "basic"), _BEARER, rf"\g<word> {HIDDEN}"),
    (_NAME_MARKS, _ASSIGNMENT, _hide_assigned),
    (("sshpass", "wandb", "curl"), _COMMANDS, rf"\g<before>{HIDDEN}"),
)
