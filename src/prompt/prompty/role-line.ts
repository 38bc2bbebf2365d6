import { PROMPTY_ROLES, type PromptyRole } from '../../core/prompty-message.ts';

/** What a role line says. */
export type RoleLine = { readonly role: PromptyRole; readonly attributes: Readonly<Record<string, string>> };

/** Longer lines are text. */
const MAX_LENGTH = 500;
const HEAD = new RegExp(
  `^(?:#[ \\t]*)?(${PROMPTY_ROLES.join('|')})[ \\t]*(?:\\[((?:[^\\]"]|"[^"]*")*)\\])?[ \\t]*:$`,
  'i',
);
const ATTRIBUTE = /^[ \t]*(\w+)[ \t]*=[ \t]*(?:"([^"]*)"|([^\s",=[\]]+))[ \t]*$/;
const NONE: RoleLine['attributes'] = {};

/** Reads a line as `role:` or `role[name="x", key=value]:`, alone on its line, a `#` before it allowed; undefined if it is none. */
export function readRoleLine(line: string): RoleLine | undefined {
  const text = line.trim();
  if (!text.endsWith(':') || text.length > MAX_LENGTH) return undefined;
  const match = HEAD.exec(text);
  if (match === null) return undefined;
  const attributes = match[2] === undefined ? NONE : readAttributes(match[2]);
  const role = PROMPTY_ROLES.find((known) => known === match[1]?.toLowerCase());
  return attributes && role && { role, attributes };
}

function readAttributes(text: string): RoleLine['attributes'] | undefined {
  const entries: (readonly [string, string])[] = [];
  for (const part of splitOutsideQuotes(text)) {
    const match = ATTRIBUTE.exec(part);
    if (match === null) return undefined;
    entries.push([match[1] ?? '', match[2] ?? match[3] ?? '']);
  }
  return Object.fromEntries(entries);
}

function splitOutsideQuotes(text: string): readonly string[] {
  return text.match(/(?:[^",]|"[^"]*")+/g) ?? [text];
}
