__version__ = '1.0' '.7'
__tool_type__ = """python"""
__category__ = r"math"
__tool_description__ = (
    "Adds numbers, "  # first half
    'even "odd" ones: '
    "\u00e4\x41\t\'"
)
CONFIG_SCHEMA = {
    # every kind of literal there is
    'type': "object",
    "properties": {
        "hex": {"default": 0xFF, "minimum": -0b101, "maximum": 1_000_000},
        "float": {"default": 1.5e-3, "multipleOf": .5, "const": -2.},
        "tuple": {"enum": (1, 2, 3,), "empty": ()},
        "none": {"default": None, "nullable": True, "strict": False},
        "raw": {"pattern": r"^\d+\s*$"},
        "long": {"description": """two
lines"""},
        "escaped": {"default": 'it\'s \\ "fine"\n'},
        "unicode ключ": {"default": "😀"},
    },
    "required": [],
}
