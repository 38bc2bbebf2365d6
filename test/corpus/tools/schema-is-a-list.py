__version__ = "1.0.0"
CONFIG_SCHEMA = [{"type": "object"}]
