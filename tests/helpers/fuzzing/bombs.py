"""Small files that ask for much: memory, time or depth far beyond their size, in every format that can."""

from __future__ import annotations

import gzip
import io
import json
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

Bomb = tuple[str, Callable[[], bytes]]  # the kind of the file, and what makes it

_CARD = 'name = "x"\n[meshes]\nfolder = "shapes"\npattern = "*.off"\n'
_TRIANGLE = {
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
    "bufferViews": [{"buffer": 0, "byteLength": 36}],
    "buffers": [{"byteLength": 36, "uri": "data:;base64," + 48 * "A"}],
}
_LINE = {"path": "a", "digest": "", "options": "", "outcome": "failed", "seconds": 1, "parts": 1, "written": []}
_ARRAY = b"cnumpy.core.multiarray\n_reconstruct\n(tR"
_BYTE = b"cnumpy\ndtype\n(S'u1'\ntR"


def _gltf(*, nodes: int = 1, primitives: int = 1, primitive: Any = None, **said: Any) -> bytes:
    primitive = primitive or {"attributes": {"POSITION": 0}}
    scene = {"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}] * nodes}
    return json.dumps(scene | _TRIANGLE | {"meshes": [{"primitives": [primitive] * primitives}]} | said).encode()


def _changed(table: str, **values: Any) -> dict[str, Any]:
    return {table: [_TRIANGLE[table][0] | values]}  # type: ignore[dict-item]  # they are dictionaries


def _vtp(arrays: int, size: int) -> bytes:
    """Many arrays that are the same bytes."""
    many = "".join(f'<DataArray type="UInt8" Name="{i}" format="appended" offset="0"/>' for i in range(arrays))
    return (
        '<VTKFile type="PolyData" byte_order="LittleEndian" header_type="UInt32"><PolyData>'
        f'<Piece NumberOfPoints="3" NumberOfPolys="1"><PointData>{many}</PointData>'
        '<Points><DataArray type="Float32" NumberOfComponents="3" format="ascii">0 0 0 1 0 0 0 1 0</DataArray></Points>'
        '<Polys><DataArray type="Int32" Name="connectivity" format="ascii">0 1 2</DataArray>'
        '<DataArray type="Int32" Name="offsets" format="ascii">3</DataArray></Polys></Piece></PolyData>'
        '<AppendedData encoding="raw">_'
    ).encode() + struct.pack("<I", size) + bytes(size) + b"</AppendedData></VTKFile>"  # fmt: skip


def _ply(lines: list[str], rows: bytes = b"") -> bytes:
    head = ["ply", "format ascii 1.0", "element vertex 1", *(f"property float {axis}" for axis in "xyz"), *lines]
    return "\n".join([*head, "end_header\n"]).encode() + rows


def _pairs_of_pairs(first: bytes, pair: bytes) -> bytes:
    """A pickle whose value is two of a value, which is two of a value, sixty times."""
    got = [b"h" + bytes([i]) for i in range(61)]
    doubled = [pair.replace(b"X", got[i]) + b"q" + bytes([i + 1]) for i in range(60)]
    return first + b"q\0" + b"".join(doubled)


def _npz(**arrays: Any) -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def _mat(**arrays: Any) -> bytes:
    from scipy.io import savemat

    stream = io.BytesIO()
    savemat(stream, arrays, do_compression=True)
    return stream.getvalue()


BOMBS: dict[str, Bomb] = {
    "a key of dots behind quoted marks": ("card.toml", lambda: (199 * "a." + '"=".').encode() * 480 + b"a=1\n"),
    "ten million numbers ten thousand times": (
        "card.toml",
        lambda: f'{_CARD}numbers = "{",".join(10_000 * ["0-10000000"])}"\n'.encode(),
    ),
    "ten thousand splits": (
        "card.toml",
        lambda: "".join([_CARD, "[splits]\n", *(f'a{i} = "{i}"\n' for i in range(10_000))]).encode(),
    ),
    "a thousand arrays of the same bytes": ("mesh.vtp", lambda: _vtp(1_000, 2_000_000)),
    "entities in letters of two bytes": (
        "mesh.vtp",
        lambda: '<!DOCTYPE a [<!ENTITY x "y">]><VTKFile>&x;</VTKFile>'.encode("utf-16"),
    ),
    "elements without end": ("mesh.ply", lambda: _ply([f"element e{i} 0" for i in range(60_000)])),
    "properties without end": ("mesh.ply", lambda: _ply([f"property char p{i}" for i in range(60_000)])),
    "elements of no rows over many rows": (
        "mesh.ply",
        lambda: _ply([f"element e{i} 0" for i in range(900)], 200_000 * b"0 0 0\n"),
    ),
    "nodes times primitives": ("mesh.gltf", lambda: _gltf(nodes=20_000, primitives=10_000)),
    "nodes times primitives of nothing": (
        "mesh.gltf",
        lambda: _gltf(nodes=20_000, primitives=10_000, accessors=[{"componentType": 5126, "count": 0, "type": "VEC3"}]),
    ),
    "nodes times primitives of points": (
        "mesh.gltf",
        lambda: _gltf(nodes=20_000, primitives=20_000, primitive={"mode": 0}),
    ),
    "primitives with a long name": (
        "mesh.gltf",
        lambda: _gltf(meshes=[{"name": 300_000 * "x", "primitives": 9_000 * [{"attributes": {"POSITION": 0}}]}]),
    ),
    "a stride beyond all memory": (
        "mesh.gltf",
        lambda: _gltf(**_changed("bufferViews", byteStride=10**30), **_changed("accessors", count=1)),
    ),
    "an offset beyond all memory": ("mesh.gltf", lambda: _gltf(**_changed("accessors", count=0, byteOffset=10**30))),
    "a line of brackets": ("done.jsonl", lambda: 200_000 * b"["),
    "orders that cannot be compared": (
        "done.jsonl",
        lambda: b"".join(
            json.dumps(_LINE | {"path": str(order), "order": order, "entry": {"error": ""}}).encode() + b"\n"
            for order in (1, "2", None)
        ),
    ),
    "a path that is a list": ("done.jsonl", lambda: json.dumps(_LINE | {"path": [], "order": 0, "entry": {}}).encode()),
    "bytes by their number": (
        "graph.pickle",
        lambda: _ARRAY + b"(K\1(K\1t" + _BYTE + b"\x89L3000000000L\ntb.",
    ),
    "bytes beyond all memory": (
        "graph.pickle",
        lambda: _ARRAY + b"(K\1(K\1t" + _BYTE + b"\x89L9999999999999L\ntb.",
    ),
    "lists of lists as a word": (
        "graph.pickle",
        lambda: _pairs_of_pairs(b"]", b"(XXl") + b"0cnumpy\ndtype\n(h\x3ctR.",
    ),
    "pairs of pairs as a key": ("graph.pickle", lambda: _pairs_of_pairs(b")", b"XX\x86") + b"}h\x3cNs."),
    "a deep pair as a word": (
        "graph.pickle",
        lambda: b"]" + 200_000 * b"\x85" + b"q\0" + b"0cnumpy\ndtype\n(h\0tR.",
    ),
    "one text as the bytes of many arrays": (
        "graph.pickle",
        lambda: b"T" + struct.pack("<i", 10**6) + 10**6 * b"x" + b"q\1" + _BYTE + b"q\2"
        + 3_000 * (_ARRAY + b"(K\1(J" + struct.pack("<i", 10**6) + b"th\2\x89h\1tb") + b".",
    ),
    "a table a thousand times its file": ("graph.csv.gz", lambda: gzip.compress(10_000_000 * b"0,1\n")),
    "an array of gigabytes": (
        "graph.npz",
        lambda: _npz(edges=np.zeros((2, 2), np.int64), labels=np.zeros(3), features=np.zeros((100_000_000, 4), "f4")),
    ),
    "a matrix of gigabytes": ("graph.mat", lambda: _mat(edge_index=np.zeros((2, 9)), node_feat=np.zeros((10**8, 1)))),
}  # fmt: skip
