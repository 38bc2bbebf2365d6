import { createHash } from 'node:crypto';

/**
 * What the scripted server gives with a thought, as the real one signs it: whoever sends the thought back has to send this
 * with it, unchanged. `binding`: what it is bound to, where a model does that.
 */
export function signThought(text: string, binding = ''): string {
  return createHash('sha256').update('skein-script:').update(text).digest('base64') + binding;
}

/** Whether a thought was given with this by {@link signThought}, whatever it is bound to. */
export function isSignedThought(text: string, signature: string): boolean {
  return signature.startsWith(signThought(text));
}

/** What a thought is bound to by its signature. */
export function bindingIn(signature: string): string {
  return signature.slice(SIGNATURE_LENGTH);
}

/** A thought with its signature as opaque text, in base64: the form in which it comes back where it is sealed. */
export function sealThought(text: string): string {
  return Buffer.from(signThought(text) + text).toString('base64');
}

/** Whether it was given by {@link sealThought}, and is unchanged. */
export function isSealedThought(sealed: string): boolean {
  const opened = Buffer.from(sealed, 'base64').toString('utf8');
  const text = opened.slice(SIGNATURE_LENGTH);
  return opened.slice(0, SIGNATURE_LENGTH) === signThought(text) && sealThought(text) === sealed;
}

/** Of a SHA-256 in base64. */
const SIGNATURE_LENGTH = 44;
