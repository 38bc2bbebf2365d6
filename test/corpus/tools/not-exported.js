export const __version__ = '1.0.0';
export const __category__ = 'text';
const CONFIG_SCHEMA = { type: 'object', properties: { secret: { type: 'string' } } };

export function execute() {
  return CONFIG_SCHEMA;
}
