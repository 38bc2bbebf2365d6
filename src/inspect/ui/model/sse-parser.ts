/** A message of an event stream. */
export type SseMessage = { readonly event: string; readonly data: string; readonly id: string };

/**
 * Reads an event stream (`text/event-stream`) piece by piece, wherever it was cut. Lines end in LF, CR or CRLF; several
 * `data` lines are one text; comments, such as heartbeats, are passed over.
 */
export function createSseParser(heard: (message: SseMessage) => void): (piece: string) => void {
  let rest = '';
  let fields = NONE;
  return (piece) => {
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== '') fields = withLine(fields, line);
      else {
        if (fields.data !== undefined) heard({ event: fields.event || 'message', data: fields.data, id: fields.id });
        fields = { ...NONE, id: fields.id };
      }
    }
  };
}

type Fields = { readonly event: string; readonly data: string | undefined; readonly id: string };

const NONE: Fields = { event: '', data: undefined, id: '' };

function withLine(fields: Fields, line: string): Fields {
  const colon = line.indexOf(':');
  if (colon === 0) return fields;
  const name = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (name === 'event') return { ...fields, event: value };
  if (name === 'id') return { ...fields, id: value };
  if (name !== 'data') return fields;
  return { ...fields, data: fields.data === undefined ? value : `${fields.data}\n${value}` };
}
