/** What a signature says (contracts, "Signature"): everything but the comment around it. */
export type SignatureMark = {
  /** `2026-02-24T04:54:45Z`; stated by the signer and covered by nothing. */
  readonly signedAt: string;
  /** SHA-256 of the signed content, 64 hex digits. */
  readonly hash: string;
  /** Ed25519 over the ASCII text of `hash`. */
  readonly signature: Buffer;
  /** Fingerprint of the key, 16 hex digits. */
  readonly key: string;
};

/** How every signature begins. */
export const MARK_START = 'rye:signed:';

/** A whole signature as a pattern; every part has a bounded length. The padding is what the seeds write. */
export const MARK_PATTERN: string = String.raw`rye:signed:(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z):([0-9a-f]{64}):([A-Za-z0-9_-]{86})(?:==)?:([0-9a-f]{16})`;

const WHOLE = new RegExp(`^${MARK_PATTERN}$`);

/** With the comment around it, as it is written; bounded like the pattern. */
const WITH_COMMENT = new RegExp(`(?:(?:<!--|#|//) ?)?${MARK_PATTERN}(?: ?-->)?`, 'g');

/** A text without the signatures in it, for whoever reads what an item says. */
export function withoutMarks(text: string): string {
  return text.includes(MARK_START) ? text.replaceAll(WITH_COMMENT, '') : text;
}

/** Reads a signature; undefined if it is not written exactly as one. */
export function parseMark(text: string): SignatureMark | undefined {
  const [, signedAt, hash, encoded, key] = WHOLE.exec(text) ?? [];
  if (signedAt === undefined || hash === undefined || encoded === undefined || key === undefined) return undefined;
  const signature = Buffer.from(encoded, 'base64url');
  // The last character has room for bits that mean nothing: one signature is written in one way.
  if (signature.toString('base64url') !== encoded || Number.isNaN(Date.parse(signedAt))) return undefined;
  return { signedAt, hash, signature, key };
}

/** Writes a signature as {@link parseMark} reads it. */
export function formatMark({ signedAt, hash, signature, key }: SignatureMark): string {
  return `${MARK_START}${signedAt}:${hash}:${signature.toString('base64url')}==:${key}`;
}
