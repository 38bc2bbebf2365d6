import { REDACTED, type Redactor } from '../core/redactor.ts';

/** The texts of which models' answers consist, in all wire formats; as they stand in JSON. */
const FIELD =
  /(?<name>"(?:text|content|delta|arguments|partial_json|thinking|reasoning|reasoning_content)"\s*:\s*")(?<text>(?:[^"\\]|\\.)*)"/g;

/**
 * A body without secrets, also those that a model says in several frames of a stream: its texts are put together to look for
 * them, and what belongs to one is taken out of every frame.
 */
export function redactStream(body: string, redactor: Redactor): string {
  const fragments = fragmentsOf(body);
  const spans = redactor.spans(fragments.map(({ text }) => text).join(''));
  const cuts = spans.flatMap((span) => cutsOf(span, fragments));
  let clean = body;
  for (const { from, to, by } of cuts.toReversed()) clean = clean.slice(0, from) + by + clean.slice(to);
  return redactor.text(clean);
}

/** A text, where it begins in the body, and where in all texts together. */
type Fragment = { readonly text: string; readonly inBody: number; readonly inAll: number };

function fragmentsOf(body: string): readonly Fragment[] {
  let inAll = 0;
  return [...body.matchAll(FIELD)].map(({ index, groups }) => {
    const { name = '', text = '' } = groups ?? {};
    const fragment = { text, inBody: index + name.length, inAll };
    inAll += text.length;
    return fragment;
  });
}

type Cut = { readonly from: number; readonly to: number; readonly by: string };

/** Nothing for a secret that stands in one frame: it is found there anyway. */
function cutsOf([start, end]: readonly [number, number], fragments: readonly Fragment[]): readonly Cut[] {
  const touched = fragments.filter(({ inAll, text }) => inAll < end && start < inAll + text.length);
  if (touched.length < 2) return [];
  return touched.map(({ text, inBody, inAll }, index) => ({
    from: inBody + Math.max(0, start - inAll),
    to: inBody + Math.min(text.length, end - inAll),
    by: index === 0 ? REDACTED : '',
  }));
}
