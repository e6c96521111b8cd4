"""The part of libclang that layout_table.py needs, through ctypes: every installation of clang has the library."""
import ctypes
import ctypes.util
import functools
import glob
import os
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_longlong, c_uint, c_void_p


class Cursor(Structure):
    _fields_ = [("kind", c_int), ("xdata", c_int), ("data", c_void_p * 3)]


class Type(Structure):
    _fields_ = [("kind", c_int), ("data", c_void_p * 2)]


class _String(Structure):
    _fields_ = [("data", c_void_p), ("flags", c_uint)]


class _Location(Structure):
    _fields_ = [("data", c_void_p * 2), ("offset", c_uint)]


_Visitor = ctypes.CFUNCTYPE(c_int, Cursor, Cursor, c_void_p)
_FUNCTIONS = {
    "createIndex": (c_void_p, c_int, c_int),
    "parseTranslationUnit": (c_void_p, c_void_p, c_char_p, POINTER(c_char_p), c_int, c_void_p, c_uint, c_uint),
    "disposeTranslationUnit": (None, c_void_p),
    "getTranslationUnitCursor": (Cursor, c_void_p),
    "visitChildren": (c_uint, Cursor, _Visitor, c_void_p),
    "getCursorReferenced": (Cursor, Cursor),
    "getCursorSemanticParent": (Cursor, Cursor),
    "getCursorDefinition": (Cursor, Cursor),
    "getTypeDeclaration": (Cursor, Type),
    "getCursorType": (Type, Cursor),
    "getArrayElementType": (Type, Type),
    "hashCursor": (c_uint, Cursor),
    "equalCursors": (c_uint, Cursor, Cursor),
    "Cursor_isNull": (c_int, Cursor),
    "Cursor_isAnonymous": (c_uint, Cursor),
    "getCursorSpelling": (_String, Cursor),
    "getTypeSpelling": (_String, Type),
    "getFileName": (_String, c_void_p),
    "getCString": (c_char_p, _String),
    "disposeString": (None, _String),
    "getCursorLocation": (_Location, Cursor),
    "getExpansionLocation": (None, _Location, POINTER(c_void_p), POINTER(c_uint), c_void_p, c_void_p),
    "getNumDiagnostics": (c_uint, c_void_p),
    "getDiagnostic": (c_void_p, c_void_p, c_uint),
    "getDiagnosticSeverity": (c_int, c_void_p),
    "formatDiagnostic": (_String, c_void_p, c_uint),
}
STRUCT, UNION, FIELD, FUNCTION = 2, 3, 6, 8
USES = (47, 101, 102)  # a member by its name, a name, a member of an object
BLOCKS = (1, 23)  # extern "C" { }
RECURSE = 2
ERROR = 3


real_path = functools.lru_cache(None)(os.path.realpath)


class Clang:
    """Raises OSError if libclang is missing."""

    def __init__(self):
        found = glob.glob("/usr/lib/*/libclang-*.so.1") + glob.glob("/usr/lib*/libclang.so*")
        name = (sorted(found) or [ctypes.util.find_library("clang")])[-1]
        if name is None:
            raise OSError("no libclang")
        library = ctypes.CDLL(name)
        for function, (result, *arguments) in _FUNCTIONS.items():
            symbol = getattr(library, "clang_" + function)
            symbol.restype, symbol.argtypes = result, arguments
            setattr(self, "_" + function, symbol)
        self._index = self._createIndex(0, 0)

    def _text(self, string):
        text = (self._getCString(string) or b"").decode()
        self._disposeString(string)
        return text

    def parse(self, file, flags):
        """Returns the unit's handle and its errors."""
        array = (c_char_p * len(flags))(*[flag.encode() for flag in flags])
        unit = self._parseTranslationUnit(self._index, file.encode(), array, len(flags), None, 0, 0)
        if not unit:
            return None, [f"{file}: cannot be read"]
        diagnostics = [self._getDiagnostic(unit, i) for i in range(self._getNumDiagnostics(unit))]
        return unit, [self._text(self._formatDiagnostic(one, 3)) for one in diagnostics
                      if self._getDiagnosticSeverity(one) >= ERROR]

    def dispose(self, unit):
        self._disposeTranslationUnit(unit)

    def root(self, unit):
        return self._getTranslationUnitCursor(unit)

    def children(self, cursor):
        found = []

        def visit(child, _parent, _data):
            found.append(Cursor.from_buffer_copy(child))
            return 1

        self._visitChildren(cursor, _Visitor(visit), None)
        return found

    def walk(self, cursor, see):
        """Calls see(cursor) for all descendants."""
        def visit(child, _parent, _data):
            see(child)
            return RECURSE

        self._visitChildren(cursor, _Visitor(visit), None)

    def referenced(self, cursor):
        """Returns the cursor that this one refers to, or None."""
        found = self._getCursorReferenced(cursor)
        return None if self._Cursor_isNull(found) else found

    def definition(self, cursor):
        found = self._getCursorDefinition(cursor)
        return None if self._Cursor_isNull(found) else found

    def parent(self, cursor):
        return self._getCursorSemanticParent(cursor)

    def key(self, cursor):
        return self._hashCursor(cursor)

    def same(self, one, other):
        return bool(self._equalCursors(one, other))

    def name(self, cursor):
        return self._text(self._getCursorSpelling(cursor))

    def type_name(self, cursor):
        return self._text(self._getTypeSpelling(self._getCursorType(cursor)))

    def record_of(self, field):
        """Returns the declaration of a field's type, for an array that of its elements."""
        kind = self._getCursorType(field)
        element = self._getArrayElementType(kind)
        return self._getTypeDeclaration(element if element.kind != 0 else kind)

    def is_unnamed(self, record):
        return bool(self._Cursor_isAnonymous(record))

    def place(self, cursor):
        """Returns file and line, with the file's real path; for macros, the place of use."""
        file, line = c_void_p(), c_uint()
        self._getExpansionLocation(self._getCursorLocation(cursor), byref(file), byref(line), None, None)
        return (real_path(self._text(self._getFileName(file))) if file else "", line.value)
