import { version } from './package.json' with { type: 'json' };

export const __version__ = version;
export const __category__ = 'text';
export const CONFIG_SCHEMA = { type: 'object', properties: {} };
