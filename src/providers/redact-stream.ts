import { REDACTED, type Redactor } from '../core/redactor.ts';
import { textsIn, type BodyText } from './body-texts.ts';

/**
 * A body without secrets, also those that a model says in several frames of a stream: texts that continue one another are put
 * together to look for them, and what belongs to one is taken out of every frame. Linear in the length of the body, however
 * many secrets it has.
 */
export function redactStream(body: string, redactor: Redactor): string {
  const parts: string[] = [];
  let told = 0;
  for (const { from, to, by } of cutsIn(textsIn(body), redactor)) {
    if (to <= told) continue;
    parts.push(body.slice(told, from), from < told ? '' : by);
    told = to;
  }
  return redactor.text(parts.join('') + body.slice(told));
}

type Cut = { readonly from: number; readonly to: number; readonly by: string };

/** What is taken out of the body, in order; cuts may overlap. */
function cutsIn(texts: readonly BodyText[], redactor: Redactor): readonly Cut[] {
  const cuts = groupsOf(texts).flatMap((group) => {
    const spans = redactor.spans(group.map(({ text }) => text).join(''));
    return spans.length > 0 ? [...cutsOf(spans, toFragments(group))] : [];
  });
  // One that leaves a mark goes before one that does not.
  return cuts.toSorted((one, other) => one.from - other.from || other.by.length - one.by.length);
}

/**
 * Texts that continue one another. A frame may say a text by two names, and have parts of several calls: each is looked through
 * alone. All of a name are looked through as well: some servers leave a call's number out of its later frames.
 */
function groupsOf(texts: readonly BodyText[]): readonly (readonly BodyText[])[] {
  return [...Map.groupBy(texts, ({ name }) => name).values()].flatMap((named) => {
    const places = [...Map.groupBy(named, ({ place }) => place).values()];
    return places.length > 1 ? [named, ...places] : [named];
  });
}

/** A text, where it begins in the body, and where in all texts that continue one another. */
type Fragment = { readonly text: string; readonly inBody: number; readonly inAll: number };

function toFragments(group: readonly BodyText[]): readonly Fragment[] {
  let inAll = 0;
  return group.map(({ text, at }) => {
    const fragment = { text, inBody: at, inAll };
    inAll += text.length;
    return fragment;
  });
}

type Span = readonly [start: number, end: number];

/** Nothing for a secret that stands in one frame: it is found there anyway. */
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
