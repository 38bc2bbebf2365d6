export const __version__ = '1.0.0';
export const CONFIG_SCHEMA = { type: 'object', __proto__: { polluted: true }, properties: { constructor: { type: 'string' } } };
