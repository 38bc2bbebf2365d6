const properties = { path: { type: 'string' } };
export const CONFIG_SCHEMA = { type: 'object', properties };
