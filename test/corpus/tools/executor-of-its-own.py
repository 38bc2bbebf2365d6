__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "project/runtimes/sandboxed_python"
__category__ = "text"
__tool_description__ = "Runs in the project's own runtime"
CONFIG_SCHEMA = {"type": "object"}
