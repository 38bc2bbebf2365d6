# rye:unsigned
__version__ = "1.0.0"
__category__ = "text"
__tool_description__ = """Two
lines"""
CONFIG_SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
}
