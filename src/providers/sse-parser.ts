import { createBareJson, type BareJson } from './bare-json.ts';
import { cutFault, invalidFault, type CallFault } from './call-failure.ts';
import { MAX_LINE_BYTES } from './http-fetch.ts';

/** Takes one event: its data, lines joined, and its name if it has one. A fault ends the stream. */
export type TakeEvent = (data: string, name: string | undefined) => CallFault | undefined;

/** Takes a JSON object that stands bare where an event was to be; a fault ends the stream. */
export type TakeBare = (json: string) => CallFault | undefined;

/** Reads server-sent events from a text that arrives in pieces. */
export interface SseParser {
  /** Takes a piece, cut anywhere; the first fault of its events, or of its own. */
  feed(piece: string): CallFault | undefined;
  /** The text is over: a fault of what was held back. */
  end(): CallFault | undefined;
}

/** Field names of the standard; lines of others are passed over if they have a value. */
const FIELDS: ReadonlySet<string> = new Set(['data', 'event', 'id', 'retry']);

/**
 * Makes a parser of the event stream format. Linear in the length of the text, however it is cut. Stricter than the
 * standard in one point: a line without a colon that is no field is garbage, and a stream with garbage in it is broken.
 * What follows the last empty line is no event. The data of an event is at most as long as a line of it.
 *
 * Between events, the first line that begins with a brace is held back until the object that it begins is whole: servers say
 * so, without a field's name, what went wrong in the middle of an answer, also over several lines, of which none is empty. If
 * that was no fault, the lines are read as any others.
 */
export function createSseParser(take: TakeEvent, takeBare: TakeBare = () => undefined): SseParser {
  const withPlainEnds = createPlainEnds();
  const lines = createLineReader(take);
  let rest: string[] = [];
  let bare: BareJson | undefined;
  let hadBare = false;

  const readLines = (text: string): CallFault | undefined => {
    for (let from = 0; from < text.length;) {
      const mayBeBare = text.charCodeAt(from) === BRACE && rest.length === 0 && !hadBare && lines.isBetween();
      if (mayBeBare) return readBare(text.slice(from));
      const end = text.indexOf('\n', from);
      if (end === -1) {
        rest.push(text.slice(from));
        return undefined;
      }
      const line = rest.length === 0 ? text.slice(from, end) : `${rest.join('')}${text.slice(0, end)}`;
      if (rest.length > 0) rest = [];
      from = end + 1;
      const fault = lines.read(line);
      if (fault) return fault;
    }
    return undefined;
  };

  const readBare = (text: string): CallFault | undefined => {
    hadBare = true;
    bare ??= createBareJson();
    const found = bare.push(text);
    if (found === 'open') return undefined;
    return (found === 'none' ? undefined : takeBare(found.json)) ?? readHeld();
  };

  const readHeld = (): CallFault | undefined => {
    const held = bare?.text() ?? '';
    bare = undefined;
    return readLines(held);
  };

  return {
    feed(piece) {
      const text = withPlainEnds(piece);
      return bare ? readBare(text) : readLines(text);
    },
    end: readHeld,
  };
}

/** Makes one of the three ends of a line that the standard knows; a piece may end within one. */
function createPlainEnds(): (piece: string) => string {
  let endedWithReturn = false;
  return (piece) => {
    const text = endedWithReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    if (piece !== '') endedWithReturn = piece.endsWith('\r');
    return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
  };
}

type LineReader = {
  readonly read: (line: string) => CallFault | undefined;
  /** Nothing of an event has come since the last one. */
  readonly isBetween: () => boolean;
};

function createLineReader(take: TakeEvent): LineReader {
  let data: string | undefined;
  let name: string | undefined;

  const dispatch = (): CallFault | undefined => {
    const [taken, named] = [data, name];
    data = undefined;
    name = undefined;
    return taken === undefined ? undefined : take(taken, named);
  };

  return {
    read(line) {
      if (line === '') return dispatch();
      if (line.startsWith('data:')) {
        const value = line.slice(line.charCodeAt(5) === SPACE ? 6 : 5);
        data = data === undefined ? value : `${data}\n${value}`;
        // However many lines it has, it is parsed at once.
        return data.length > MAX_LINE_BYTES ? TOO_LARGE : undefined;
      }
      const colon = line.indexOf(':');
      if (colon === 0) return undefined;
      if (colon === -1 && !FIELDS.has(line)) return cutFault('the stream has a line that is none of its format');
      if (line.startsWith('event:')) name = line.slice(6).trim();
      return undefined;
    },
    isBetween: () => data === undefined && name === undefined,
  };
}

const TOO_LARGE = invalidFault(
  'answer_too_large',
  `an event of the answer is longer than ${MAX_LINE_BYTES} characters`,
);
const SPACE = 0x20;
const BRACE = 0x7b;
