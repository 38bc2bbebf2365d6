__version__ = "1.0.0"
__executor_id__ = "../../../outside/runtime"
__category__ = "text"
CONFIG_SCHEMA = {"type": "object"}
