import { cutText } from '../core/cut-text.ts';
import { requestKey } from './recorded-request.ts';
import type { RecordedExchange, RecordedRequest } from './recording-entry.ts';

/** Each is compared with all that was recorded, while nothing else happens. */
const MOST_COMPARED = 10;

/** Recorded requests by their keys. */
type KeyedExchanges = ReadonlyMap<string, readonly RecordedExchange[]>;

/**
 * Says what a request that was not recorded has different from the recorded one that is most like it. Of the first ten: where so
 * many differ, all do.
 */
export function createClosestRequest(recorded: KeyedExchanges): (asked: RecordedRequest) => string {
  let compared = 0;
  return (asked) => {
    const what = `The recording has no answer to ${asked.method} ${asked.path}`;
    if (compared >= MOST_COMPARED)
      return `${what}; how it differs is said of the first ${MOST_COMPARED} such requests only`;
    compared++;
    const closest = closestOf(recorded, asked);
    if (closest) {
      const hint = isOfIds(closest, asked) ? ' (ids of threads are others in every run)' : '';
      return `${what}; the recorded request most like it differs at ${differenceOf(closest.body, asked.body)}${hint}`;
    }
    const paths = [...new Set([...recorded.values()].flat().map(({ request }) => request.path))].slice(0, 5);
    return `${what}; it has ${paths.length === 0 ? 'no requests' : `requests to ${paths.join(', ')}`}`;
  };
}

/** The one with the most in common at its beginning; the conversation is in the order of its messages there. */
function closestOf(recorded: KeyedExchanges, asked: RecordedRequest): RecordedRequest | undefined {
  const key = requestKey(asked);
  let best: { readonly request: RecordedRequest; readonly length: number } | undefined;
  for (const [known, [exchange]] of recorded) {
    if (exchange?.request.path !== asked.path || exchange.request.method !== asked.method) continue;
    const length = commonStart(known, key);
    if (!best || length > best.length) best = { request: exchange.request, length };
  }
  return best?.request;
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** Whether two requests are the same but for the ids of threads in them. */
function isOfIds(recorded: RecordedRequest, asked: RecordedRequest): boolean {
  const [was, is] = [recorded, asked].map((request) => requestKey(request).replaceAll(/thread-[0-9a-f]{32}/g, ''));
  return was === is;
}

type Json = RecordedRequest['body'] | undefined;

/** `body.messages[2].content: "a" was recorded, "b" is asked`. */
function differenceOf(recorded: Json, asked: Json): string {
  const { path, was, is } = firstDifference(recorded, asked, 'body') ?? { path: 'body', was: recorded, is: asked };
  // Long texts often begin alike.
  const from = typeof was === 'string' && typeof is === 'string' ? Math.max(0, commonStart(was, is) - 20) : 0;
  return `${path}: ${clip(was, from)} was recorded, ${clip(is, from)} is asked`;
}

type Difference = { readonly path: string; readonly was: Json; readonly is: Json };

function firstDifference(was: Json, is: Json, path: string): Difference | undefined {
  if (!isNode(was) || !isNode(is) || Array.isArray(was) !== Array.isArray(is)) {
    return was === is ? undefined : { path, was, is };
  }
  const [before, after] = [new Map(Object.entries(was)), new Map(Object.entries(is))];
  const keys = new Set([...before.keys(), ...after.keys()]);
  const ordered = Array.isArray(was) ? [...keys] : [...keys].toSorted();
  for (const key of ordered) {
    const place = Array.isArray(was) ? `${path}[${key}]` : `${path}.${key}`;
    const found = firstDifference(before.get(key), after.get(key), place);
    if (found) return found;
  }
  return undefined;
}

function isNode(value: Json): value is Exclude<Json, string | number | boolean | null | undefined> {
  return typeof value === 'object' && value !== null;
}

const MAX_SHOWN = 120;

function clip(value: Json, from: number): string {
  const shown = typeof value === 'string' && from > 0 ? `…${value.slice(from)}` : value;
  const text = shown === undefined ? 'nothing' : JSON.stringify(shown);
  return cutText(text, MAX_SHOWN);
}
