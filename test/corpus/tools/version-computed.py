import os

__version__ = os.environ.get("VERSION", "1.0.0")
__tool_type__ = "python"
__category__ = "text"
__tool_description__ = "Has a version that only running it would tell"
CONFIG_SCHEMA = {"type": "object", "properties": {}}
