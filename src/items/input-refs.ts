/** Environment variables a text may refer to: only the names in `allowed` are ever looked up. */
export type EnvironmentRefs = {
  readonly allowed: readonly string[];
  readonly values: Readonly<Record<string, string | undefined>>;
};

/** The longest name of an input or variable; a longer one is not a reference. */
const MAX_NAME = 128;

/**
 * Fills references in a text (S2 §7.4): `{input:key}`, `{input:key?}` (empty if missing), `{input:key:default}` and
 * `{input:key|default}`; the same with `{env:NAME…}` for allowed names. A missing plain reference stays as written, so
 * that the mistake can be seen. Values that are not text are put in as JSON. One pass, linear; what is put in is not
 * scanned again.
 */
export function fillInputRefs(text: string, inputs: Readonly<Record<string, unknown>>, env?: EnvironmentRefs): string {
  return compileInputRefs(text)?.({ inputs, env }) ?? text;
}

/** What references are filled with. */
export type InputValues = {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly env: EnvironmentRefs | undefined;
};

/** Finds the references of a text that is filled many times, as {@link fillInputRefs} does; undefined if it has none. */
export function compileInputRefs(text: string): ((values: InputValues) => string) | undefined {
  const refs = text.includes('{') ? [...findRefs(text)] : [];
  const last = refs.at(-1);
  if (!last) return undefined;
  const pieces = refs.map(({ kind, name, otherwise, open, end }, at) => ({
    before: text.slice(refs[at - 1]?.end ?? 0, open),
    kind,
    name,
    fallback: otherwise ?? text.slice(open, end),
  }));
  const rest = text.slice(last.end);
  return ({ inputs, env }) => {
    let filled = '';
    for (const { before, kind, name, fallback } of pieces) {
      filled += before + ((kind === 'env' ? lookUpVariable(name, env) : lookUpInput(name, inputs)) ?? fallback);
    }
    return filled + rest;
  };
}

/** A reference of a text, from its opening brace to just past its closing one; `otherwise` is what it falls back on. */
export type FoundRef = Ref & { readonly kind: 'input' | 'env'; readonly open: number; readonly end: number };

/** The references of a text in order; linear. */
export function* findRefs(text: string): Generator<FoundRef> {
  let close = -1;
  for (let open = text.indexOf('{'); open !== -1; open = text.indexOf('{', open)) {
    const kind = text.startsWith('{input:', open) ? 'input' : text.startsWith('{env:', open) ? 'env' : undefined;
    if (kind !== undefined && close < open) close = text.indexOf('}', open);
    if (close === -1 && kind !== undefined) return;
    const ref = kind === undefined ? undefined : readRef(text, open + kind.length + 2, close);
    if (ref !== undefined && kind !== undefined) yield { ...ref, kind, open, end: close + 1 };
    open = ref === undefined ? open + 1 : close + 1;
  }
}

/** Whether a text can refer to an input of this name. */
export function isReferable(name: string): boolean {
  return name.length <= MAX_NAME && NAME.exec(name)?.[0] === name;
}

const NAME = /^[\p{L}\p{N}_-]+/u;

type Ref = { readonly name: string; readonly otherwise: string | undefined };

/** The reference between an offset and its closing brace, or undefined if it is none. */
function readRef(text: string, start: number, close: number): Ref | undefined {
  const head = text.slice(start, Math.min(close, start + MAX_NAME + 1));
  const name = NAME.exec(head)?.[0];
  if (name === undefined || name.length > MAX_NAME) return undefined;
  const after = start + name.length;
  if (after === close) return { name, otherwise: undefined };
  const mark = text[after];
  if (mark === '?' && after + 1 === close) return { name, otherwise: '' };
  if (mark === ':' || mark === '|') return { name, otherwise: text.slice(after + 1, close) };
  return undefined;
}

function lookUpInput(name: string, inputs: Readonly<Record<string, unknown>>): string | undefined {
  if (!Object.hasOwn(inputs, name)) return undefined;
  const value = inputs[name];
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function lookUpVariable(name: string, env: EnvironmentRefs | undefined): string | undefined {
  if (env === undefined || !env.allowed.includes(name) || !Object.hasOwn(env.values, name)) return undefined;
  return env.values[name];
}
