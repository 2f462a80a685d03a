"""VTK files, for ParaView, pyvista, 3D Slicer: the mesh as given, with parts as data on points and cells.

Written here and not by VTK, which is a hundred megabytes; the tests read the files back by pyvista.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from meshtide.inference.segmentation import Segmentation
from meshtide.output.files.as_given import AsGiven, palette

_XML_KINDS = {"u1": "UInt8", "i4": "Int32", "i8": "Int64", "f4": "Float32", "f8": "Float64"}
_LEGACY_KINDS = {"u1": "unsigned_char", "i4": "int", "f4": "float", "f8": "double"}
_Arrays = dict[str, NDArray[np.generic]]


def vtp_bytes(segmentation: Segmentation, given: AsGiven) -> bytes:
    """XML with uncompressed base64, which every version of VTK since 2012 reads."""
    points, cells = _answers(segmentation, given)
    counts = f'NumberOfPoints="{len(given.vertices)}" NumberOfPolys="{len(given.sizes)}"'
    polygons: _Arrays = {"connectivity": given.corners.astype("<i8"), "offsets": np.cumsum(given.sizes).astype("<i8")}
    lines = [
        '<?xml version="1.0"?>',
        '<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">',
        "<PolyData>",
        *_xml_section("FieldData", (_xml_words(name, words) for name, words in _words(segmentation).items())),
        f'<Piece {counts} NumberOfVerts="0" NumberOfLines="0" NumberOfStrips="0">',
        *_xml_section("PointData", (_xml_array(name, values) for name, values in points.items())),
        *_xml_section("CellData", (_xml_array(name, values) for name, values in cells.items())),
        *_xml_section("Points", [_xml_array("Points", given.vertices.astype("<f8"))]),
        *_xml_section("Polys", (_xml_array(name, values) for name, values in polygons.items())),
        "</Piece>\n</PolyData>\n</VTKFile>\n",
    ]
    return "\n".join(lines).encode("utf-8")


def vtk_bytes(segmentation: Segmentation, given: AsGiven) -> bytes:
    """The legacy format, binary, version 3, which every VTK reads."""
    points, cells = _answers(segmentation, given)
    row = np.insert(given.corners, np.cumsum(given.sizes) - given.sizes, given.sizes)
    return b"".join(
        [
            b"# vtk DataFile Version 3.0\nparts by meshtide\nBINARY\nDATASET POLYDATA\n",
            *_legacy_words(_words(segmentation)),
            f"POINTS {len(given.vertices)} double\n".encode(),
            given.vertices.astype(">f8").tobytes(),
            f"\nPOLYGONS {len(given.sizes)} {len(row)}\n".encode(),
            row.astype(">i4").tobytes(),
            f"\nCELL_DATA {len(given.sizes)}\n".encode(),
            *_legacy_arrays(cells),
            f"POINT_DATA {len(given.vertices)}\n".encode(),
            *_legacy_arrays(points),
        ]
    )


def _answers(segmentation: Segmentation, given: AsGiven) -> tuple[_Arrays, _Arrays]:
    colours = palette(segmentation)
    return tuple(
        {
            "label": labels.astype("<i4"),
            "confidence": sure.astype("<f4"),
            "instance": instances.astype("<i4"),
            "colour": colours[labels],
        }
        for labels, sure, instances in (
            (given.vertex_labels, given.vertex_confidence, given.vertex_instances),
            (given.face_labels, given.face_confidence, given.face_instances),
        )
    )  # type: ignore[return-value]  # a generator of two


def _words(segmentation: Segmentation) -> dict[str, tuple[str, ...]]:
    """The names that the numbers of labels and instances stand for."""
    return {"parts": segmentation.parts, "instances": tuple(each.name for each in segmentation.instances)}


def _xml_section(name: str, arrays: Iterator[str] | list[str]) -> list[str]:
    return [f"<{name}>", *arrays, f"</{name}>"]


def _xml_array(name: str, values: NDArray[np.generic]) -> str:
    width = f' NumberOfComponents="{values.shape[1]}"' if values.ndim > 1 else ""
    kind = _XML_KINDS[values.dtype.str[1:]]
    data = np.array(values.nbytes, dtype="<u8").tobytes() + np.ascontiguousarray(values).tobytes()
    text = base64.b64encode(data).decode("ascii")
    return f'<DataArray type="{kind}" Name={quoteattr(name)}{width} format="binary">{text}</DataArray>'


def _xml_words(name: str, words: tuple[str, ...]) -> str:
    letters = " ".join(str(byte) for word in words for byte in [*word.replace("\0", "").encode("utf-8"), 0])
    return f'<Array type="String" Name={quoteattr(name)} NumberOfTuples="{len(words)}" format="ascii">{letters}</Array>'


def _legacy_arrays(arrays: _Arrays) -> Iterator[bytes]:
    yield f"FIELD FieldData {len(arrays)}\n".encode()
    for name, values in arrays.items():
        width = values.shape[1] if values.ndim > 1 else 1
        yield f"{name} {width} {len(values)} {_LEGACY_KINDS[values.dtype.str[1:]]}\n".encode()
        yield values.astype(values.dtype.newbyteorder(">")).tobytes() + b"\n"


def _legacy_words(lists: dict[str, tuple[str, ...]]) -> Iterator[bytes]:
    yield f"FIELD FieldData {len(lists)}\n".encode()
    for name, words in lists.items():
        yield f"{name} 1 {len(words)} string\n".encode()
        yield b"".join(_counted(word.encode("utf-8")) for word in words) + b"\n"


def _counted(text: bytes) -> bytes:
    """A word behind its length, whose two highest bits say in how many bytes it is written."""
    for width, mark in ((1, 3), (2, 2), (4, 1)):
        if len(text) < 1 << (8 * width - 2):
            return (mark << (8 * width - 2) | len(text)).to_bytes(width, "big") + text
    raise ValueError("a part's name is a gigabyte long")
