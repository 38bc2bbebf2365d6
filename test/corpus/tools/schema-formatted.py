NAME = "x"
CONFIG_SCHEMA = {"type": "object", "description": f"about {NAME}"}
