"""Damage to the bytes of files: anywhere, in the numbers and names of a format, and with checksums made right again."""

from __future__ import annotations

import hashlib
import io
import json
import random
import re
import struct
import zipfile
from collections.abc import Iterator

NUMBERS = (
    -1, 0, 1, 2, 3, 7, 8, 64, 127, 128, 255, 256, 1000, 2**16, 2**31 - 1, 2**31, 2**32, 2**40, 2**53, 2**62, 2**63 - 1,
    2**63, 2**64 - 1, 2**64, 10**30,
)  # fmt: skip
TEXTS = (
    "",
    "x",
    "..",
    "../x",
    "/etc/passwd",
    "a" * 300,
    "\u0000",
    "é\u202e",
    "F32",
    "float32",
    "<f4",
    "|O",
    "nan",
    "1,2",
    "-1",
    "0x10",
    "NaN",
)
DESCRIPTIONS = (
    "<f4", ">f8", "|O", "<U3", "<f2", "|b1", "<c8", "V2", [("bfloat16", "<u2")], [("a", "<f4", (2**40,))], "", 5,
    "<f99", [("x", [("y", "O")])],
)  # fmt: skip


def number(rng: random.Random) -> int:
    """A number that formats are tempted to trust."""
    return rng.choice(NUMBERS) + rng.choice((0, 0, 0, 1, -1)) if rng.random() < 0.8 else rng.randrange(2**20)


def any_bytes(data: bytes, rng: random.Random) -> bytes:
    """Bytes changed, left out, repeated or cut off."""
    copy = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        if not copy:
            break
        at, kind = rng.randrange(len(copy)), rng.randrange(6)
        if kind < 3:
            copy[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
        elif kind == 3:
            del copy[at:]
        elif kind == 4:
            del copy[at : at + rng.choice((1, 4, 8))]
        else:
            copy[at:at] = copy[at : at + rng.choice((1, 8, 40))] * rng.choice((1, 2, 9))
    return bytes(copy)


def any_value(value: object, rng: random.Random, depth: int = 0) -> object:
    """JSON with one value changed, at any depth."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        copy = dict(value)
        key = rng.choice(list(copy))
        if rng.random() < 0.1:
            copy[rng.choice(TEXTS)] = copy.pop(key)
        else:
            copy[key] = any_value(copy[key], rng, depth + 1)
        return copy
    if isinstance(value, list) and value and rng.random() < 0.8:
        items = list(value)
        at = rng.randrange(len(items))
        items[at] = any_value(items[at], rng, depth + 1)
        return items
    choices: tuple[object, ...] = (
        None, True, number(rng), float(number(rng)), 1.5, rng.choice(TEXTS), [], {}, [number(rng)] * 70,
        {"name": rng.choice(TEXTS)}, [[[]]],
    )  # fmt: skip
    return rng.choice(choices)


def in_json(data: bytes, rng: random.Random) -> bytes:
    """A JSON document with one to three values changed, or nested without end."""
    if rng.random() < 0.02:
        return rng.choice((b"[" * 100000, b'{"a":' * 50000, b"{}" * 3, b'{"a":1,"a":2}', b"9" * 5000))
    document = json.loads(data)
    for _ in range(rng.choice((1, 1, 2, 3))):
        document = any_value(document, rng)
    return json.dumps(document).encode()


def in_safetensors(data: bytes, rng: random.Random) -> bytes:
    length = int.from_bytes(data[:8], "little")
    header, rest = in_json(data[8 : 8 + length], rng), data[8 + length :]
    claimed = len(header) if rng.random() < 0.9 else number(rng) % 2**64
    return struct.pack("<Q", claimed) + header + rest


def in_npy(data: bytes, rng: random.Random) -> bytes:
    """Another descr, order or shape in the header."""
    begin = data.index(b"{")
    end = data.index(b"}") + 1
    shape = tuple(number(rng) for _ in range(rng.choice((0, 1, 2, 3, 40))))
    descr = rng.choice(DESCRIPTIONS)
    header = {"descr": descr, "fortran_order": rng.choice((True, False, 1, None)), "shape": shape}
    if rng.random() < 0.3:
        header.pop(rng.choice(list(header)))
    text = repr(header).encode() if rng.random() < 0.9 else b"{" * rng.choice((1, 2000))
    return data[: begin - 2] + struct.pack("<H", len(text) % 2**16) + text + data[end:]


def in_npz(data: bytes, rng: random.Random) -> bytes:
    """A member damaged and packed again, or a field of the directory changed."""
    if rng.random() < 0.4:
        copy = bytearray(data)
        begin = data.index(b"PK\x01\x02")
        at, width = rng.choice(((8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (42, 4)))
        copy[begin + at : begin + at + width] = (number(rng) % 2 ** (8 * width)).to_bytes(width, "little")
        return bytes(copy)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(list(members))
    members[name] = rng.choice((in_npy, any_bytes))(members[name], rng)
    to = io.BytesIO()
    with zipfile.ZipFile(to, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for each, content in members.items():
            archive.writestr(each if rng.random() < 0.95 else "_" + rng.choice(TEXTS), content)
    return to.getvalue()


def in_xml(data: bytes, rng: random.Random) -> bytes:
    """Other attributes, elements doubled, nested or left out."""
    text = data.decode()
    attributes = list(re.finditer(r'="([^"]*)"', text))
    for _ in range(rng.choice((1, 2))):
        each = rng.choice(attributes)
        new = rng.choice(
            (
                str(number(rng)),
                rng.choice(TEXTS).replace("\0", ""),
                "1,1",
                "i4",
                "Const",
                f"{number(rng)},{number(rng)}",
            )
        )
        text = text[: each.start(1)] + new + text[each.end(1) :]
        attributes = list(re.finditer(r'="([^"]*)"', text))
    kind = rng.randrange(12)
    if kind == 0:
        text = text.replace("<layers>", "<layers>" * 80)
    if kind == 1:
        text = '<!DOCTYPE x [<!ENTITY a "b">]>' + text
    if kind == 2:
        text = text.replace("</net>", "")
    return text.encode("utf-8", "surrogatepass")


def in_protobuf(data: bytes, rng: random.Random) -> bytes:
    """The value of a field of the message, or of one in it, changed; lengths around it are made right again."""
    found = list(_fields(data))
    if not found:
        return any_bytes(data, rng)
    at, end, tag, kind, value = rng.choice(found)
    if kind == 2:
        choice = rng.random()
        inner = in_protobuf(value, rng) if choice < 0.7 and len(value) > 2 else any_bytes(value, rng)
        inner = b"" if choice > 0.97 else inner
        return data[:at] + _varint(tag) + _varint(len(inner)) + inner + data[end:]
    if kind == 0:
        return data[:at] + _varint(tag) + _varint(number(rng) % 2**64) + data[end:]
    return data[:at] + data[end:]


def _fields(data: bytes) -> Iterator[tuple[int, int, int, int, bytes]]:
    at = 0
    while at < len(data):
        tag, after = _read_varint(data, at)
        kind = tag & 7
        value, end = (0, after + {1: 8, 5: 4}.get(kind, 0)) if kind != 0 else _read_varint(data, after)
        if kind == 2:
            length, begin = _read_varint(data, after)
            end = begin + length
            yield at, end, tag, kind, data[begin:end]
        elif kind in (0, 1, 5):
            yield at, end, tag, kind, b""
        if kind not in (0, 1, 2, 5) or end > len(data) or end <= at:
            return
        at = end
        assert value is not None


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data):
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            break
    return value, at


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def in_gguf(data: bytes, rng: random.Random) -> bytes:
    """A number of 4 or 8 bytes at any place of the header."""
    copy = bytearray(data)
    width = rng.choice((4, 8, 8))
    at = rng.randrange(4, min(len(data), 400))
    copy[at : at + width] = (number(rng) % 2 ** (8 * width)).to_bytes(width, "little")
    return bytes(copy)


def in_state(data: bytes, rng: random.Random) -> bytes:
    """A state with its header or a section changed, and the checksum made right again."""
    length = int.from_bytes(data[12:16], "little")
    header, body = data[16 : 16 + length], data[16 + length : -32]
    if rng.random() < 0.5:
        document = any_value(json.loads(header), rng)
        header = json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
    else:
        body = any_bytes(body, rng)
    text = data[:12] + struct.pack("<I", len(header)) + header + body
    return text + hashlib.sha256(text).digest()


def in_states(data: bytes, rng: random.Random) -> bytes:
    """A file of states with a value changed, and the checksum made right again."""
    lines = data.splitlines()[:-1]
    at = rng.randrange(len(lines))
    if rng.random() < 0.3:
        words = lines[at].decode().split(" ")
        words[rng.randrange(len(words))] = rng.choice(
            (str(number(rng)), "none", "0x1p-99999", "nan", "-0x" + "f" * 2000 + "p9")
        )
        lines[at] = " ".join(words).encode()
    else:
        lines[at] = in_json(lines[at], rng)
    body = b"".join(line + b"\n" for line in lines)
    return body + json.dumps({"sha256": hashlib.sha256(body).hexdigest()}).encode() + b"\n"
