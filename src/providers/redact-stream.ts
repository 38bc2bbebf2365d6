import { endOfString, REDACTED, type Redactor } from '../core/redactor.ts';

/** Where the texts of which models' answers consist begin, in all wire formats. */
const FIELD = /"(?:text|content|delta|arguments|partial_json|thinking|reasoning|reasoning_content)"\s*:\s*"/g;

/**
 * A body without secrets, also those that a model says in several frames of a stream: its texts are put together to look for
 * them, and what belongs to one is taken out of every frame. Linear in the length of the body, however many secrets it has.
 */
export function redactStream(body: string, redactor: Redactor): string {
  const fragments = fragmentsOf(body);
  const spans = redactor.spans(fragments.map(({ text }) => text).join(''));
  const parts: string[] = [];
  let told = 0;
  for (const { from, to, by } of cutsOf(spans, fragments)) {
    parts.push(body.slice(told, from), by);
    told = to;
  }
  return redactor.text(parts.join('') + body.slice(told));
}

/** A text as it stands in JSON, where it begins in the body, and where in all texts together. */
type Fragment = { readonly text: string; readonly inBody: number; readonly inAll: number };

function fragmentsOf(body: string): readonly Fragment[] {
  const field = new RegExp(FIELD);
  const fragments: Fragment[] = [];
  let inAll = 0;
  while (field.test(body)) {
    const inBody = field.lastIndex;
    const end = endOfString(body, inBody);
    const text = body.slice(inBody, end);
    fragments.push({ text, inBody, inAll });
    inAll += text.length;
    field.lastIndex = end + 1;
  }
  return fragments;
}

type Span = readonly [start: number, end: number];
type Cut = { readonly from: number; readonly to: number; readonly by: string };

/** What is taken out of the body, in order. Nothing for a secret that stands in one frame: it is found there anyway. */
function* cutsOf(spans: readonly Span[], fragments: readonly Fragment[]): Generator<Cut> {
  let first = 0;
  for (const [start, end] of spans) {
    while (endInAll(fragments[first]) <= start) first += 1;
    let last = first;
    while (endInAll(fragments[last]) < end) last += 1;
    if (last === first) continue;
    for (const { text, inBody, inAll } of fragments.slice(first, last + 1)) {
      const from = inBody + Math.max(0, start - inAll);
      yield { from, to: inBody + Math.min(text.length, end - inAll), by: inAll <= start ? REDACTED : '' };
    }
    first = last;
  }
}

function endInAll(fragment: Fragment | undefined): number {
  return fragment ? fragment.inAll + fragment.text.length : Number.POSITIVE_INFINITY;
}
