BASE = {}
CONFIG_SCHEMA = {**BASE, "type": "object"}
