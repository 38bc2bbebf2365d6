/** Where a member of the outermost object stands; offsets into the JSON text. */
export type JsonSpan = {
  /** Of its key. */
  readonly start: number;
  readonly valueStart: number;
  readonly valueEnd: number;
};

/**
 * Goes through a text that is known to be JSON once: counts the members of all its objects, and finds the first member
 * of the outermost object that has the key.
 */
export function scanMembers(json: string, key: string): { readonly members: number; readonly span?: JsonSpan } {
  let members = 0;
  let depth = 0;
  let lastText = { start: 0, end: 0 };
  let open: { readonly start: number; readonly valueStart: number } | undefined;
  let span: JsonSpan | undefined;
  const close = (at: number): void => {
    if (depth !== 1 || open === undefined) return;
    span ??= { ...open, ...trimmed(json, open.valueStart, at) };
    open = undefined;
  };
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (char === '"') {
      lastText = { start: at, end: textEnd(json, at) };
      at = lastText.end - 1;
    } else if (char === ':') {
      members++;
      const isKey = depth === 1 && textOf(json.slice(lastText.start, lastText.end)) === key;
      if (isKey) open = { start: lastText.start, valueStart: at + 1 };
    } else if (char === ',') close(at);
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') {
      close(at);
      depth--;
    }
  }
  return span === undefined ? { members } : { members, span };
}

/** Colons and commas in the JSON of an item: many times what a tool has. What they part is gone through often. */
const MAX_MARKS = 40_000;

/** What is too much in a JSON text, if anything is. It need not be JSON. */
export function faultOfSize(json: string): string | undefined {
  let marks = 0;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (char === '"') at = textEnd(json, at) - 1;
    else if ((char === ':' || char === ',') && ++marks > MAX_MARKS) {
      return `it has more than ${MAX_MARKS} colons and commas`;
    }
  }
  return undefined;
}

/** The members of a parsed JSON value and of all it holds. Two members with one key have become one. */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + countMembers(each), 0);
  let members = 0;
  // Parsed JSON has own keys only; a list of its 100,000 values would cost more than looking at them.
  for (const key in value) members += 1 + countMembers((value as Readonly<Record<string, unknown>>)[key]);
  return members;
}

function textOf(literal: string): unknown {
  return literal.includes('\\') ? JSON.parse(literal) : literal.slice(1, -1);
}

function textEnd(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

function trimmed(json: string, start: number, end: number): { valueStart: number; valueEnd: number } {
  const raw = json.slice(start, end);
  const valueStart = start + raw.length - raw.trimStart().length;
  return { valueStart, valueEnd: valueStart + raw.trim().length };
}
