import { exactJson } from '../core/exact-json.ts';
import { jsonOrUndefined } from '../core/json-or-undefined.ts';
import { cutFault, invalidFault, plainHeaders, type CallFault } from './call-failure.ts';
import { createSseParser } from './sse-parser.ts';

/** Who reads an answer: hears of every piece, takes every event, is told when the provider has said its last word. */
export type EventReader = {
  readonly alive: () => void;
  /** Parsed JSON, as the wire has it; a fault ends the stream. */
  readonly push: (event: unknown) => CallFault | undefined;
  /** Only the end of the body is awaited now. */
  readonly ending: () => void;
  /** What the provider's own error says: its body, and the headers of the answer. */
  readonly describe: (refusal: { readonly error: unknown; readonly headers: Headers }) => CallFault;
};

/** What some wires send last. */
const END_MARK = '[DONE]';

/**
 * Reads an HTTP answer whose body is server-sent events with JSON in them, to its end, so that its connection can be
 * used again. Resolves to what is wrong with it, if anything is; rejects as the body does. An answer of another kind is
 * refused before it is read: a login page and an error with status 200 are no events. An error counts also where it stands
 * bare between events, as Google sends it in the middle of an answer.
 */
export async function readEventStream(response: Response, reader: EventReader): Promise<CallFault | undefined> {
  const refusal = await refuseOther(response, reader);
  if (refusal) return refusal;
  const { headers } = response;
  const parser = createSseParser(
    (data, name) => {
      if (data !== END_MARK) return takeEvent({ data, name, headers }, reader);
      reader.ending();
      return undefined;
    },
    (json) => takeProblem({ event: jsonOrUndefined(json), name: undefined, headers }, reader),
  );
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const piece of bodyOf(response)) {
    reader.alive();
    const text = decode(decoder, piece);
    const fault = text === undefined ? cutFault('the stream is not UTF-8') : parser.feed(text);
    if (fault) return fault;
  }
  return parser.end();
}

type Arrived = { readonly data: string; readonly name: string | undefined; readonly headers: Headers };

function takeEvent({ data, name, headers }: Arrived, reader: EventReader): CallFault | undefined {
  // Some wires have the input of a call in it as a value.
  const event = exactJson(data);
  if (event === undefined) return cutFault('the stream is not valid JSON');
  if (event === null) return cutFault('an event of the stream is null');
  return takeProblem({ event, name, headers }, reader) ?? reader.push(event);
}

type Read = Omit<Arrived, 'data'> & { readonly event: unknown };

/** What the provider says with an event that is an error. */
function takeProblem({ event, name, headers }: Read, { describe }: EventReader): CallFault | undefined {
  const problem = errorIn(event) ?? (name === 'error' || isErrorEvent(event) ? event : undefined);
  return problem === undefined ? undefined : describe({ error: problem, headers });
}

/** An error that stands where an event or an answer was to be. */
export function errorIn(event: unknown): unknown {
  if (typeof event !== 'object' || event === null || !('error' in event)) return undefined;
  return event.error ?? undefined;
}

/** An event of OpenAI's Responses; some servers leave the events' names out. */
function isErrorEvent(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'type' in event && event.type === 'error';
}

/** Why an answer can't be a stream of events, read from its head; what it says itself if it is an error. */
async function refuseOther(response: Response, { describe }: EventReader): Promise<CallFault | undefined> {
  const { headers } = response;
  const encoding = headers.get('content-encoding') ?? 'identity';
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (encoding === 'identity' && !OTHER_TYPES.test(type)) return undefined;
  const start = await response.text();
  const problem = errorIn(jsonOrUndefined(start));
  if (problem !== undefined) return describe({ error: problem, headers });
  const what = encoding === 'identity' ? type : `${type} in encoding "${encoding}"`;
  const message = `the provider answered with ${what} instead of a stream of events`;
  return { ...invalidFault('not_an_event_stream', message), headers: plainHeaders(headers) };
}

/** What can't be meant as events. Compatible servers are careless about the right name. */
const OTHER_TYPES = /^(?:text\/html|application\/(?:[\w.-]+\+)?(?:json|xml)|image\/.*)$/;

/** The stream of every `fetch` is an async iterable in Node, which the DOM's types do not say. */
function bodyOf(response: Response): AsyncIterable<Uint8Array> {
  return (response.body ?? []) as unknown as AsyncIterable<Uint8Array>;
}

function decode(decoder: InstanceType<typeof TextDecoder>, piece: Uint8Array): string | undefined {
  try {
    return decoder.decode(piece, { stream: true });
  } catch {
    // Not UTF-8.
    return undefined;
  }
}
