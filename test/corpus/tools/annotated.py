from __future__ import annotations

from typing import Any, Dict, Final

__version__: Final[str] = "0.2.0"
__tool_type__: str = 'python'
__category__: Final = "text"
__tool_description__: str = "Counts words"
CONFIG_SCHEMA: Dict[str, Any] = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


async def execute(params: Dict[str, Any], project_path: str) -> Dict[str, int]:
    return {"words": len(params["text"].split())}
