const base = { type: 'object' };
export const CONFIG_SCHEMA = {
  ...base,
  properties: {},
};
