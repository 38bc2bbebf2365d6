import { writeFileSync } from 'node:fs';

writeFileSync(process.env.SKEIN_CORPUS_MARKER, 'node ran');
globalThis.corpusMarker = true;
process.exit(7);

export const __version__ = '1.0.0';
export const CONFIG_SCHEMA = { type: 'object' };
