__version__ = "1.0.0"
__category__ = "x"
__proto__ = {"polluted": True}
CONFIG_SCHEMA = {"type": "object", "__proto__": {"polluted": True}, "properties": {"constructor": {"type": "string"}}}
