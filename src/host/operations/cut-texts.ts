import { startOf } from '../../core/cut-text.ts';

type Payload = Readonly<Record<string, unknown>>;

/** Characters of a text at which cutting stops to help. */
const SHORTEST = 100;

/**
 * A payload in at most about `maxBytes` of JSON: its texts are cut, the longest ones most, and each says by how much. One
 * that is too long by other things than texts is left out as a whole, and says so.
 */
export function cutTexts(payload: Payload, maxBytes: number): Payload {
  for (let limit = Math.floor(maxBytes / 2); limit >= SHORTEST; limit = Math.floor(limit / 2)) {
    const cut = cutIn(payload, limit) as Payload;
    if (Buffer.byteLength(JSON.stringify(cut)) <= maxBytes) return cut;
  }
  return { left_out: `[payload of ${Buffer.byteLength(JSON.stringify(payload))} bytes left out]` };
}

/** Only what was parsed from JSON comes here: it has an end. */
function cutIn(value: unknown, limit: number): unknown {
  if (typeof value === 'string') return shorten(value, limit);
  if (Array.isArray(value)) return value.map((each) => cutIn(each, limit));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cutIn(each, limit)]));
}

function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = startOf(text, limit);
  return `${kept}[${text.length - kept.length} characters left out]`;
}
