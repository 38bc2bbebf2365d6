import { NotLiteral } from './constants.ts';

const SIMPLE: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\n', ''],
  ['\r', ''],
  ['\r\n', ''],
  ['\u2028', ''],
  ['\u2029', ''],
]);

const ESCAPE = /\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,8})\}|0(?!\d)|(\r\n|[^]))/g;

/** The text that a JavaScript text literal stands for. @throws NotLiteral for an escape that is none */
export function unescapeJs(raw: string): string {
  if (!raw.includes('\\')) return raw;
  return raw.replace(ESCAPE, (escape: string, ...groups: (string | undefined)[]) => {
    const [byte, unit, point, other] = groups;
    const hex = byte ?? unit ?? point;
    if (hex !== undefined) return codePoint(Number.parseInt(hex, 16), escape);
    if (other === undefined) return '\0';
    if (/[xu0-9]/.test(other)) throw new NotLiteral(`it has the escape ${escape}, which can't be read`);
    return SIMPLE.get(other) ?? other;
  });
}

function codePoint(code: number, escape: string): string {
  if (code > 0x10ffff) throw new NotLiteral(`it has the escape ${escape}, which is beyond Unicode`);
  return String.fromCodePoint(code);
}
