import { isRecord } from '../core/record.ts';
import type { Redactor } from '../core/redactor.ts';
import type { HttpRequest } from './http-fetch.ts';
import type { RecordedRequest } from './recording-entry.ts';

/** A request as it stands in a recording: without server, headers, secrets, and what it says to the provider's cache. */
export function recordedRequest({ method, url, body }: HttpRequest, redactor: Redactor): RecordedRequest {
  return { method, path: redactor.text(pathOf(url)), body: withoutCache(parse(redactor.text(body ?? ''))) };
}

/** Equal for requests that say the same, in whatever order their keys stand. */
export function requestKey({ method, path, body }: RecordedRequest): string {
  return `${method} ${path} ${JSON.stringify(body, sortKeys)}`;
}

/** A key in the address is left out: some servers take it there. */
function pathOf(address: string): string {
  const url = new URL(address);
  url.searchParams.delete('key');
  return `${url.pathname}${url.search}`;
}

/**
 * A cache's name is that of a thread, which is another one when the recording is replayed; marks change what a call costs, and
 * nothing that is said.
 */
function withoutCache(body: RecordedRequest['body']): RecordedRequest['body'] {
  if (!isRecord(body)) return body;
  const { prompt_cache_key: _, ...rest } = withoutMarks(body);
  // A system prompt is a list only to be marked.
  const [only, ...others] = Array.isArray(rest['system']) ? rest['system'] : [];
  const text = isText(only) && others.length === 0 ? only.text : undefined;
  return text === undefined ? rest : { ...rest, system: text };
}

type Json = RecordedRequest['body'];
type JsonObject = Extract<Json, Record<string, Json>>;

function withoutMarks<Value extends Json>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutMarks) as Value; // the same with less in its members
  const entries = Object.entries(value).filter(([key]) => key !== 'cache_control');
  return Object.fromEntries(entries.map(([key, member]) => [key, withoutMarks(member)])) as Value; // the same with less
}

function isText(value: Json | undefined): value is { readonly type: 'text'; readonly text: string } & JsonObject {
  return typeof value === 'object' && value !== null && 'text' in value && typeof value['text'] === 'string';
}

function parse(body: string): RecordedRequest['body'] {
  try {
    // What JSON.parse returns is JSON.
    return JSON.parse(body) as RecordedRequest['body'];
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return body;
    throw thrown;
  }
}

function sortKeys(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
