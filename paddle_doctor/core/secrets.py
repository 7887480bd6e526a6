"""Secrets are taken out where text enters the doctor, so that no fact, report or file of ours can hold one."""

from __future__ import annotations

import re

HIDDEN = "<hidden>"

_SECRET_NAME = re.compile(
    r"""(?ix) (?: ^|_|-|\b ) (?: token|secret|passw(?:or)?d|passwd|pwd(?!$)|passphrase|api_?key|access_?key(?:_?id)?|secret_?key
    |private_?key|credentials?|auth|authorization|cookie|session_?key|sas|sk|ak|dsn|key ) (?: $|_|-|\b )"""
)
#: Variables of Paddle and of the tools around it whose names look like secrets and are not.
_NO_SECRET_NAME = re.compile(r"(?i)^(FLAGS_|PADDLE_|NCCL_|GLOO_|CUDA_|SSH_AUTH_SOCK$|PWD$|OLDPWD$)(?!.*(token|secret|passw))")

_URL_CREDENTIALS = re.compile(r"(?P<scheme>\b[a-zA-Z][a-zA-Z0-9+.-]{0,20}://)[^\s/@'\"]{1,256}@")
_KNOWN_TOKENS = re.compile(
    r"""(?x)
      \b hf_[A-Za-z0-9]{16,128} \b
    | \b gh[pousr]_[A-Za-z0-9]{20,255} \b | \b github_pat_[A-Za-z0-9_]{20,255} \b
    | \b glpat-[A-Za-z0-9_-]{16,64} \b
    | \b sk-[A-Za-z0-9_-]{20,200} \b
    | \b xox[abprs]-[A-Za-z0-9-]{10,200} \b
    | \b (?:AKIA|ASIA)[A-Z0-9]{16} \b
    | \b AIza[A-Za-z0-9_-]{30,50} \b
    | \b eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{4,1000}
    | \b bce-v3/[A-Za-z0-9/_-]{16,200}
    """
)
_ASSIGNMENT = re.compile(
    r"""(?ix) (?P<name> \b [A-Z0-9_.-]{0,40} (?:token|secret|passw(?:or)?d|passwd|api_?key|access_?key|private_?key) [A-Z0-9_.-]{0,20} )
    (?P<between> ['"]? \s{0,3} [:=] \s{0,3} ['"]? ) (?P<value> [^\s'",;&]{6,4000} )"""
)
_BEARER = re.compile(r"(?i)\b(?P<word>bearer|basic)\s+(?=[A-Za-z0-9._~+/-]*[0-9])[A-Za-z0-9._~+/=-]{16,4000}")
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----.*", re.DOTALL)


def hide_in_value(name: str, value: str) -> str:
    """The value of a variable, or `HIDDEN` if its name says that it is a secret; secrets inside it are hidden."""
    if value and _SECRET_NAME.search(name) and not _NO_SECRET_NAME.search(name):
        return HIDDEN
    return hide_in_text(value)


def hide_in_text(text: str) -> str:
    """A line of anything with the secrets in it hidden: credentials in URLs, well-known tokens, ``password=...``."""
    if "://" in text:
        text = _URL_CREDENTIALS.sub(rf"\g<scheme>{HIDDEN}@", text)
    text = _KNOWN_TOKENS.sub(HIDDEN, text)
    text = _ASSIGNMENT.sub(rf"\g<name>\g<between>{HIDDEN}", text)
    text = _BEARER.sub(rf"\g<word> {HIDDEN}", text)
    return _PRIVATE_KEY.sub(HIDDEN, text)
