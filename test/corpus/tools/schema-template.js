const name = 'x';
export const CONFIG_SCHEMA = { type: 'object', description: `about ${name}` };
