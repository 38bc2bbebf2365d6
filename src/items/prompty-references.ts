/** What `${env:NAME}` and `${file:PATH}` in the front matter of a prompt mean. */
export type PromptyReferences = {
  /** The value of a variable; undefined if it is not set. */
  readonly variable: (name: string) => string | undefined;
  /** What a file holds: data of JSON and YAML, else text. @throws SkeinError if it can't be read */
  readonly file: (path: string) => unknown;
};

/** Front matter with its references resolved, or the first that can't be, and where it stands. */
export type Resolved =
  | { readonly ok: true; readonly data: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly path: readonly string[]; readonly message: string };

/** Nothing in a reference is a brace, so that a text is read in one pass. */
const REFERENCE = /\$\{(env|file):([^{}]*)\}/gi;
const MAX_DEPTH = 64;

/**
 * Resolves `${env:NAME}`, `${env:NAME:fallback}` and `${file:PATH}` in every text of the front matter. A text that is exactly
 * one reference becomes what it stands for, inside of a text it becomes text. What is put in is not looked at again.
 */
export function resolveReferences(data: Readonly<Record<string, unknown>>, references: PromptyReferences): Resolved {
  const walk = new Walk(references);
  const resolved = walk.map(data, []);
  return walk.problem ? { ok: false, ...walk.problem } : { ok: true, data: resolved };
}

/** The references that stand in front matter, as they are written. */
export function findReferences(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.match(REFERENCE) ?? [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(findReferences) : [];
}

class Walk {
  problem: { readonly path: readonly string[]; readonly message: string } | undefined;
  readonly #references: PromptyReferences;

  constructor(references: PromptyReferences) {
    this.#references = references;
  }

  map(data: object, path: readonly string[]): Record<string, unknown> {
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, this.#value(value, [...path, key])]));
  }

  #value(value: unknown, path: readonly string[]): unknown {
    if (typeof value === 'string') return this.#text(value, path);
    if (typeof value !== 'object' || value === null || path.length > MAX_DEPTH) return value;
    return Array.isArray(value)
      ? value.map((element, at) => this.#value(element, [...path, String(at)]))
      : this.map(value, path);
  }

  #text(text: string, path: readonly string[]): unknown {
    const [only] = text.matchAll(REFERENCE);
    if (only === undefined) return text;
    if (only[0] === text) return this.#resolve(only, path);
    return text.replaceAll(REFERENCE, (...match: readonly unknown[]) => {
      const value = this.#resolve(match.map(String), path);
      return typeof value === 'string' ? value : JSON.stringify(value);
    });
  }

  #resolve([, protocol = '', content = '']: readonly string[], path: readonly string[]): unknown {
    if (protocol.toLowerCase() === 'file') return this.#references.file(content);
    const colon = content.indexOf(':');
    const name = colon === -1 ? content : content.slice(0, colon);
    const value = this.#references.variable(name) ?? (colon === -1 ? undefined : content.slice(colon + 1));
    if (value === undefined) this.problem ??= { path, message: `the environment variable "${name}" is not set` };
    return value ?? '';
  }
}
