import type { Redactor } from '../core/redactor.ts';
import type { HttpRequest } from './http-fetch.ts';
import type { RecordedRequest } from './recording-entry.ts';

/** A request as it stands in a recording: without server, headers, secrets and the name of a cache. */
export function recordedRequest({ method, url, body }: HttpRequest, redactor: Redactor): RecordedRequest {
  return { method, path: redactor.text(pathOf(url)), body: withoutCacheKey(parse(redactor.text(body ?? ''))) };
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

/** It names a thread, which is another one when the recording is replayed. */
function withoutCacheKey(body: RecordedRequest['body']): RecordedRequest['body'] {
  if (typeof body !== 'object' || body === null || !('prompt_cache_key' in body)) return body;
  const { prompt_cache_key: _, ...rest } = body;
  return rest;
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
