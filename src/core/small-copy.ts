import { cutText } from './cut-text.ts';

/** What a copy has at most, so that it costs little to make, to send and to read: in all, and in one of its texts. */
const MOST = { depth: 5, values: 300, characters: 4_000, inOne: 2_000 } as const;

/**
 * A small copy of anything, as JSON can hold it: functions by their names, circles and what is too deep or too much by what
 * they are. `clean` sees every text in full, before it is cut: the half of a secret is not known as one any more.
 */
export function smallCopy(value: unknown, clean: (text: string) => string): unknown {
  return copy(value, { clean, depth: 0, left: { values: MOST.values, characters: MOST.characters } });
}

type Copying = { readonly clean: (text: string) => string; readonly depth: number; readonly left: Left };
/** What may still be copied. */
type Left = { values: number; characters: number };

function copy(value: unknown, copying: Copying): unknown {
  switch (typeof value) {
    case 'string':
      return short(value, copying);
    case 'function':
      return `[function ${short(value.name, copying)}]`;
    case 'bigint':
    case 'symbol':
      return short(String(value), copying);
    case 'object':
      return value === null ? null : copyObject(value, copying);
    default:
      return value;
  }
}

function copyObject(value: object, copying: Copying): unknown {
  const { depth, left } = copying;
  const inside = { ...copying, depth: depth + 1 };
  const isFull = depth >= MOST.depth || left.values <= 0;
  if (Array.isArray(value)) {
    if (isFull) return `[${value.length} values]`;
    return taken(value, left).map((each) => copy(each, inside));
  }
  if (value instanceof Map || value instanceof Set) return `[${value.constructor.name} of ${value.size}]`;
  if (isFull) return '[object]';
  const fields: [string, unknown][] = value instanceof Error ? [['message', value.message]] : Object.entries(value);
  return Object.fromEntries(taken(fields, left).map(([key, each]) => [short(key, copying), copy(each, inside)]));
}

/** As many of them as may still be copied. */
function taken<Value>(values: readonly Value[], left: Left): readonly Value[] {
  const some = values.slice(0, Math.max(0, left.values));
  left.values -= some.length;
  return some;
}

function short(text: string, { clean, left }: Copying): string {
  const cleaned = clean(text);
  const most = Math.min(MOST.inOne, left.characters);
  left.characters -= Math.min(cleaned.length, most);
  return cutText(cleaned, most);
}
