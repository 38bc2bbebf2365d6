import { createHash } from 'node:crypto';

/**
 * What the scripted server gives with a thought, as the real one signs it: whoever sends the thought back has to send this
 * with it, unchanged.
 */
export function signThought(text: string): string {
  return createHash('sha256').update('skein-script:').update(text).digest('base64');
}
