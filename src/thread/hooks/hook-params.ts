import { escapeJson } from '../../core/escape-json.ts';
import { compileText, compileTemplate, templatePaths } from '../../core/interpolate.ts';
import { jsonOrUndefined } from '../../core/json-or-undefined.ts';
import { asText } from '../../core/path.ts';

type Params = Readonly<Record<string, unknown>>;
type Fill = (context: unknown) => string;

/**
 * Compiles the params of an action. A text that is JSON of a map or a list, which is how XML writes one, stays JSON, and all
 * but its expressions stays as it is written: what a model or a provider said adds nothing to it, and breaks nothing in it.
 *
 * @throws SkeinError `invalid_argument` as {@link compileTemplate}
 */
export function compileParams(params: Params): (context: unknown) => Params {
  const json = Object.entries(params).flatMap(([name, value]) => {
    const fillJson = typeof value === 'string' ? compileJson(value) : undefined;
    return fillJson ? [[name, fillJson] as const] : [];
  });
  // Params are a map (config/hooks.ts), and a map's template makes a map.
  const fill = compileTemplate(params) as (context: unknown) => Params;
  if (json.length === 0) return fill;
  return (context) => {
    const texts = json.map(([name, fillJson]) => [name, fillJson(context)]);
    return { ...fill(context), ...Object.fromEntries(texts) };
  };
}

/** Undefined for what no field makes JSON of a map or a list. */
function compileJson(text: string): Fill | undefined {
  if (!/^\s*[[{]/.test(text) || templatePaths(text).length === 0) return undefined;
  const fill = compileInPlaces(text);
  return isMapOrList(fill(undefined)) ? fill : compileGuarded(text);
}

/**
 * Texts, the rest of their escapes and unclosed ones included, and after a name the expression that is its value: so each
 * character is looked at once.
 */
const TEXT = /("[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$))(?:(\s*:\s*)(\$\{[^}]*(?:\}|$))?)?/gs;

/** Expressions in texts, and those that are values of maps: there, a field has its type. Names are as they are written. */
function compileInPlaces(text: string): Fill {
  const parts: Fill[] = [];
  let end = 0;
  for (const { 0: piece, 1: written = '', 2: colon, 3: value = '', index } of text.matchAll(TEXT)) {
    const before = text.slice(end, index);
    end = index + piece.length;
    if (colon === undefined) parts.push(() => before, compileText(written, escaped));
    else
      parts.push(
        () => before + written + colon,
        compileText(value, (field) => JSON.stringify(field ?? '')),
      );
  }
  const rest = text.slice(end);
  return (context) => parts.map((fill) => fill(context)).join('') + rest;
}

/** A text in brackets is a text, unless its fields make JSON of it: then none of them says where a name or a text ends. */
function compileGuarded(text: string): Fill {
  const fill = compileText(text, asText);
  const guarded = compileText(text, escaped);
  return (context) => {
    const filled = fill(context);
    return isMapOrList(filled) ? guarded(context) : filled;
  };
}

function escaped(field: unknown): string {
  return escapeJson(asText(field));
}

/** As tools read a text that is to be one. */
function isMapOrList(text: string): boolean {
  const value = jsonOrUndefined(text.trim());
  return typeof value === 'object' && value !== null;
}
