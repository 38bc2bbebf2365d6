import { SkeinError } from '../core/errors.ts';
import type { Document } from './merge.ts';

/** Where S2 keeps the base files. */
const FOLDER = 'rye/agent/threads/config/';

/**
 * Checks what an override says it extends: it can only be the shipped file of its own name, in S2's form
 * (`rye/agent/threads/config/NAME.yaml`) or plain (`NAME`, `NAME.yaml`). Anything else would be read by nobody.
 *
 * @throws SkeinError `invalid_config` naming what it may be
 */
export function checkExtends(name: string, document: Document, file: string): void {
  if (!Object.hasOwn(document, 'extends')) return;
  const base = document['extends'];
  const allowed = namesOf(name);
  if (typeof base === 'string' && allowed.includes(base)) return;
  const given = typeof base === 'string' ? `"${base}"` : 'what stands here';
  throw new SkeinError('invalid_config', `${given} is not the base of this file; allowed: ${allowed.join(', ')}`, {
    where: { file, path: 'extends' },
  });
}

function namesOf(name: string): readonly string[] {
  return [`${FOLDER}${name}.yaml`, `${FOLDER}${name}`, `${name}.yaml`, name];
}
