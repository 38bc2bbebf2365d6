export const CONFIG_SCHEMA = { type: 'object', properties: { a: { default: undefined } } };
