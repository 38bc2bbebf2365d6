import type { CallFault } from './call-failure.ts';
import { cutFault } from './call-failure.ts';

/** Takes one event: its data, lines joined, and its name if it has one. A fault ends the stream. */
export type TakeEvent = (data: string, name: string | undefined) => CallFault | undefined;

/** Reads server-sent events from a text that arrives in pieces. */
export interface SseParser {
  /** Takes a piece, cut anywhere; the first fault of its events, or of its own. */
  feed(piece: string): CallFault | undefined;
}

/** Field names of the standard; lines of others are passed over if they have a value. */
const FIELDS: ReadonlySet<string> = new Set(['data', 'event', 'id', 'retry']);

/**
 * Makes a parser of the event stream format. Linear in the length of the text, however it is cut. Stricter than the
 * standard in one point: a line without a colon that is no field is garbage, and a stream with garbage in it is broken.
 * What follows the last empty line is no event.
 */
export function createSseParser(take: TakeEvent): SseParser {
  let rest: string[] = [];
  let endedWithReturn = false;
  let data: string | undefined;
  let name: string | undefined;

  const dispatch = (): CallFault | undefined => {
    const [taken, named] = [data, name];
    data = undefined;
    name = undefined;
    return taken === undefined ? undefined : take(taken, named);
  };

  const readLine = (line: string): CallFault | undefined => {
    if (line === '') return dispatch();
    if (line.startsWith('data:')) {
      const value = line.slice(line.charCodeAt(5) === SPACE ? 6 : 5);
      data = data === undefined ? value : `${data}\n${value}`;
      return undefined;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return undefined;
    if (colon === -1 && !FIELDS.has(line)) return cutFault('the stream has a line that is none of its format');
    if (line.startsWith('event:')) name = line.slice(6).trim();
    return undefined;
  };

  /** The standard knows three ends of a line. */
  const withPlainEnds = (piece: string): string => {
    const text = endedWithReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    if (piece !== '') endedWithReturn = piece.endsWith('\r');
    return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
  };

  return {
    feed(piece) {
      const text = withPlainEnds(piece);
      let from = 0;
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
        const line = rest.length === 0 ? text.slice(from, end) : `${rest.join('')}${text.slice(0, end)}`;
        if (rest.length > 0) rest = [];
        from = end + 1;
        const fault = readLine(line);
        if (fault) return fault;
      }
      if (from < text.length) rest.push(text.slice(from));
      return undefined;
    },
  };
}

const SPACE = 0x20;
