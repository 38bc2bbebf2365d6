__version__ = "1.0.0"
__category__ = "text"
CONFIG_SCHEMA = dict(type="object", properties={})
