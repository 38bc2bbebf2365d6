"""Classify an error by the configured patterns."""

from pathlib import Path
from typing import Dict, Optional

__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python_runtime"
__category__ = "rye/agent/threads/internal"
__tool_description__ = "Classify errors using config patterns"

CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "error": {"type": "object", "default": {}},
        "status_code": {"type": "integer"},
        "kind": {
            "type": "string",
            "enum": ["retry", "fail", "abort"],
        },
    },
    "required": ["error"],
}


def execute(params: Dict, project_path: str) -> Optional[Dict]:
    return {"category": "permanent", "path": str(Path(project_path))}
