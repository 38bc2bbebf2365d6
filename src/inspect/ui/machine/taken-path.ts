import type { PathStep } from '../../api.ts';

/** What a path says of a chart. */
export type TakenPath = {
  /** How often each state was come to. */
  readonly visits: ReadonlyMap<string, number>;
  /** Pairs of states that followed each other, as {@link wayName}. */
  readonly ways: ReadonlySet<string>;
};

/** Steps as states and ways between them. A log does not tell of every state, so some ways lead over states. */
export function takenPath(steps: readonly PathStep[]): TakenPath {
  const visits = new Map<string, number>();
  const ways = new Set<string>();
  for (const [at, { state }] of steps.entries()) {
    visits.set(state, (visits.get(state) ?? 0) + 1);
    const before = steps[at - 1]?.state;
    if (before !== undefined) ways.add(wayName({ from: before, to: state }));
  }
  return { visits, ways };
}

/** A name of the way between two states. */
function wayName({ from, to }: Way): string {
  return `${from}>${to}`;
}

type Way = { readonly from: string; readonly to: string };

/** Whether one of these ways of the chart was taken; one out of a compound state is one out of any state inside. */
export function wasTaken({ ways }: TakenPath, ends: readonly Way[]): boolean {
  return ends.some((end) => ways.has(wayName(end)) || [...ways].some((way) => isWithin(way, end)));
}

function isWithin(way: string, { from, to }: Way): boolean {
  const [left = '', right = ''] = way.split('>');
  return isInside(left, from.replace(/\.\*$/, '')) && isInside(right, to);
}

/** To be in a state inside another one is to be in that one. */
function isInside(state: string, other: string): boolean {
  return state === other || state.startsWith(`${other}.`);
}
