/** `export const __version__ = '9.9.9'` is what others write. */
export const __version__ = '1.0.0';
export const __category__ = 'docs';
export const __tool_description__ = 'Writes tools';
const template = `
export const CONFIG_SCHEMA = { type: 'object', properties: { decoy: {} } };
`;
const pattern = /export const CONFIG_SCHEMA = \{[/'"`]/;
export const CONFIG_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: { name: { type: 'string' } },
};
export type CONFIG_SCHEMA = typeof template;

export function execute(this: void, params: { name: string }): unknown {
  const CONFIG_SCHEMA = { decoy: template.length < 1 ? params.name : pattern };
  return CONFIG_SCHEMA;
}
