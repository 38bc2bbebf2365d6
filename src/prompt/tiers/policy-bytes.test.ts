import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { TIER_KEYS, type ItemKey, type TierAssignment, type TierEvent } from '../../core/assembly.ts';
import { createGatherer } from './assemble-gather.ts';
import { assembleRequest } from './assemble-request.ts';
import { fileBlock } from './blocks.ts';
import { sourcesOf, type Session } from './fixtures/session.ts';
import { createTierPolicy, tierLayout, type TierPolicyName } from './policy-by-name.ts';
import { isFile, isHistory, pathOf } from './policy-keys.ts';

/* What policies place, as it is sent: policy, gatherer and assembler together. */

const RUNS = { numRuns: 60 };
const PATHS = ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts'];

type Step = { readonly do: 'edit' | 'toggle' | 'remove' | 'talk'; readonly path: string; readonly text: string };

const turns = fc.array(
  fc.array(
    fc.record<Step>({
      do: fc.constantFrom('edit', 'edit', 'toggle', 'toggle', 'remove', 'talk'),
      path: fc.constantFrom(...PATHS),
      // A file may become again what it was.
      text: fc.constantFrom('one text', 'other text', 'third text'),
    }),
    { maxLength: 3 },
  ),
  { minLength: 2, maxLength: 14 },
);

function take(own: Session, step: Step): TierEvent[] {
  const { path } = step;
  if (step.do === 'talk') return [];
  if (step.do === 'toggle') {
    if (own.selected.delete(path)) return [{ kind: 'dropped', path }];
    own.selected.add(path);
    return [{ kind: 'selected', path }];
  }
  if (step.do === 'remove') {
    own.files.delete(path);
    return own.selected.delete(path) ? [{ kind: 'dropped', path }] : [];
  }
  own.files.set(path, step.text);
  return [{ kind: 'edited', key: `file:${path}` }];
}

type Sent = {
  readonly files: ReadonlyMap<string, string>;
  readonly selected: ReadonlySet<string>;
  readonly assignment: TierAssignment;
  readonly bytes: string;
};

/**
 * Plays turns; `check` sees what each has sent, and the one before. Every other turn is that of a thread which was read back: of
 * all but a log, which is begun anew then, its policy and its gatherer know what was stored.
 */
function play(
  name: TierPolicyName,
  steps: readonly (readonly Step[])[],
  check: (now: Sent, before?: Sent) => void,
): void {
  const own: Session = { files: new Map(PATHS.map((path) => [path, 'one text'])), selected: new Set(), history: [] };
  const { repeats, marksTail } = tierLayout(name);
  const counter = { count: (text: string): number => text.length };
  let gatherer = createGatherer({ counter, repeats });
  let policy = createTierPolicy(name);
  let before: Sent | undefined;
  for (const [at, turn] of steps.entries()) {
    if (at % 2 === 1 && repeats !== 'older') {
      gatherer = createGatherer({ counter, repeats, placed: gatherer.placed() });
      policy = createTierPolicy(name, JSON.parse(JSON.stringify(policy.state())));
    }
    const events = turn.flatMap((step) => take(own, step));
    const sources = sourcesOf(own);
    const assignment = policy.assign(gatherer.items(sources), [...events, { kind: 'turn_ended' }]);
    const request = assembleRequest({
      systemPrompt: 'You are careful.',
      marksTail,
      ...gatherer.gather(assignment, sources),
    });
    expect(request.cacheMarks.length).toBeLessThanOrEqual(TIER_KEYS.length);
    const bytes = [request.system, ...request.messages.map(({ role, text }) => `${role} ${text}`)].join('\u0000');
    const now = { files: new Map(own.files), selected: new Set(own.selected), assignment, bytes };
    check(now, before);
    before = now;
    const index = own.history.length;
    own.history.push(
      { id: `m${index}`, index, role: 'user', text: `question ${index}.` },
      { id: `m${index + 1}`, index: index + 1, role: 'assistant', text: `answer ${index}.`, toolCalls: [] },
    );
  }
}

test.each(['cache-aware', 'stability'] as const)('%s: every file is seen once', (name) => {
  fc.assert(
    fc.property(turns, (steps) => {
      play(name, steps, ({ files, bytes }) => {
        const seen = [...files.keys()].map((path) => bytes.split(new RegExp(`${path}(?:\n\`\`\`|:\n)`)).length - 1);
        expect(seen).toEqual(seen.map(() => 1));
      });
    }),
    RUNS,
  );
});

/** Keys without what says which bytes they stand for. */
function keysOf({ tiers, tail }: TierAssignment): readonly ItemKey[] {
  return [...TIER_KEYS.flatMap((tier) => tiers[tier]), ...tail];
}

function named(key: ItemKey): string {
  return key.replace(/#.*/, '');
}

test('append-only: a log that is not written anew only grows', () => {
  let grown = 0;
  fc.assert(
    fc.property(turns, (steps) => {
      play('append-only', steps, (now, before) => {
        if (!before) return;
        if (isAnew(now, before)) return;
        grown += 1;
        expect(now.bytes.startsWith(before.bytes)).toBe(true);
      });
    }),
    RUNS,
  );
  expect(grown).toBeGreaterThan(100);
});

test.each(['cache-aware', 'cache-aware-redundant', 'append-only'] as const)(
  '%s: a turn in which nothing changes leaves all that was sent as it was',
  (name) => {
    const quiet: Step = { do: 'talk', path: '', text: '' };
    fc.assert(
      fc.property(turns, (steps) => {
        const sent: string[] = [];
        play(name, [...steps, [quiet]], ({ bytes }) => void sent.push(bytes));
        expect(sent.at(-1)?.startsWith(sent.at(-2) ?? '-')).toBe(true);
      }),
      RUNS,
    );
  },
);

/** The text that an item is sent as. */
function textOf(key: ItemKey, { files }: Sent): string {
  const name = pathOf(key);
  if (isHistory(key)) return `${Number(name.slice(1)) % 2 === 0 ? 'question' : 'answer'} ${name.slice(1)}.`;
  const content = files.get(name) ?? '';
  return isFile(key) ? fileBlock(name, content) : `${name}:\n  c ${content.slice(0, 8)}`;
}

/** Whether something else stands now in a place of the log. */
function isAnew(now: Sent, before: Sent): boolean {
  const are = keysOf(now.assignment).map(named);
  return keysOf(before.assignment)
    .map(named)
    .some((key, at) => are[at] !== key);
}

/** Where the first item begins that was shown and is not what it was; all of the bytes if there is none. */
function firstChange(now: Sent, before: Sent): number {
  const places = keysOf(before.assignment)
    .filter((key) => !isHistory(key) && !key.startsWith('tree:') && !key.includes('#'))
    .filter((key) => !now.files.has(pathOf(key)) || textOf(key, now) !== textOf(key, before))
    .map((key) => before.bytes.lastIndexOf(textOf(key, before)));
  return Math.min(before.bytes.length, ...places.filter((at) => at >= 0));
}

test('append-only: the bytes before the first item that changed are what they were, unless the log is written anew', () => {
  let held = 0;
  let anew = 0;
  fc.assert(
    fc.property(turns, (steps) => {
      play('append-only', steps, (now, before) => {
        if (!before) return;
        if (isAnew(now, before)) {
          anew += 1;
          return;
        }
        held += 1;
        const end = firstChange(now, before);
        expect(now.bytes.slice(0, end)).toBe(before.bytes.slice(0, end));
      });
    }),
    RUNS,
  );
  expect(held).toBeGreaterThan(100);
  expect(anew).toBeLessThan(held / 4);
});

test.each(['cache-aware', 'cache-aware-redundant'] as const)(
  '%s: the bytes before the tier of the first item that changed are what they were',
  (name) => {
    fc.assert(
      fc.property(turns, (steps) => {
        play(name, steps, (now, before) => {
          if (!before) return;
          const isGone = (key: ItemKey): boolean => {
            if (isHistory(key)) return false;
            const mayStay = name !== 'cache-aware' || isFile(key) === now.selected.has(pathOf(key));
            return !mayStay || !now.files.has(pathOf(key)) || textOf(key, now) !== textOf(key, before);
          };
          const tiers = TIER_KEYS.map((tier) => before.assignment.tiers[tier]);
          const broken = tiers.findIndex((keys) => keys.some(isGone));
          const kept = tiers.slice(0, broken < 0 ? TIER_KEYS.length : broken).flat();
          const ends = kept.map((key) => before.bytes.indexOf(textOf(key, before)) + textOf(key, before).length);
          const end = Math.max('system'.length, ...ends);
          expect(now.bytes.slice(0, end)).toBe(before.bytes.slice(0, end));
        });
      }),
      RUNS,
    );
  },
);
