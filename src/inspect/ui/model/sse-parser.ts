/**
 * Reads the data of an event stream (`text/event-stream`), message by message, from pieces that were cut anywhere. Lines end in
 * LF, CR or CRLF; several `data` lines are one text; other fields and comments, such as heartbeats, are passed over.
 */
export function createSseParser(heard: (data: string) => void): (piece: string) => void {
  let rest = '';
  let data: string | undefined;
  return (piece) => {
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== '') data = withLine(data, line);
      else {
        if (data !== undefined) heard(data);
        data = undefined;
      }
    }
  };
}

function withLine(data: string | undefined, line: string): string | undefined {
  if (line !== 'data' && !line.startsWith('data:')) return data;
  const value = line.slice('data:'.length).replace(/^ /, '');
  return data === undefined ? value : `${data}\n${value}`;
}
