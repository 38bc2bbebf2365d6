import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  TIER_KEYS,
  type HistoryMessage,
  type ItemKey,
  type TierAssignment,
  type TierKey,
} from '../../core/assembly.ts';
import type { Message } from '../../core/conversation.ts';
import { createGatherer, type GathererOptions } from './assemble-gather.ts';
import type { TierContent } from './assemble-input.ts';
import { assembleRequest } from './assemble-request.ts';
import { fileBlock } from './blocks.ts';
import { placed, sourcesOf, type Session } from './fixtures/session.ts';

const counter = { count: (text: string): number => text.length };

function user(index: number): HistoryMessage {
  return { id: `m${index}`, index, role: 'user', text: `question ${index}` };
}

function session(selected: readonly string[] = []): Session {
  const files = new Map(['a.ts', 'b.ts', 'c.ts'].map((path) => [path, `text of ${path}`]));
  return { files, selected: new Set(selected), history: [user(0), user(1)] };
}

function gather(own: Session, tiers: Parameters<typeof placed>[0], options: Partial<GathererOptions> = {}) {
  return createGatherer({ counter, ...options }).gather(placed(tiers), sourcesOf(own));
}

/** Which files are seen, and how: f(ull) or s(ymbols), where. */
function seen(own: Session, gathered: ReturnType<typeof gather>): string[] {
  const places: [string, string][] = [
    ...TIER_KEYS.map((key): [string, string] => {
      const { symbols = '', files = '' } = gathered.tieredContent[key];
      return [key, symbols + files];
    }),
    ['map', gathered.symbolMap],
    ['active', gathered.activeFiles],
  ];
  return places.flatMap(([place, text]) =>
    [...own.files.keys()].flatMap((path) => [
      ...(text.includes(`${path}\n\`\`\``) ? [`${path} f ${place}`] : []),
      ...(text.includes(`${path}:\n`) ? [`${path} s ${place}`] : []),
    ]),
  );
}

describe('Gathering (S1 "Content Gathering Rules", "A File Never Appears Twice")', () => {
  test.each<[string, readonly string[], Parameters<typeof placed>[0], string[]]>([
    ['nothing is placed: symbols in the main map', [], {}, ['a.ts s map', 'b.ts s map', 'c.ts s map']],
    ['a file is selected: its text is active', ['a.ts'], {}, ['b.ts s map', 'c.ts s map', 'a.ts f active']],
    ['a selected file has graduated', ['a.ts'], { L1: ['file:a.ts'] }, ['a.ts f L1', 'b.ts s map', 'c.ts s map']],
    ['a symbol has graduated', [], { L0: ['symbol:b.ts'] }, ['b.ts s L0', 'a.ts s map', 'c.ts s map']],
    [
      'the symbol of a file that was selected since is still placed',
      ['b.ts'],
      { L0: ['symbol:b.ts'] },
      ['a.ts s map', 'c.ts s map', 'b.ts f active'],
    ],
    [
      'a key is placed twice',
      ['a.ts'],
      { L1: ['file:a.ts'], L3: ['file:a.ts'] },
      ['a.ts f L1', 'b.ts s map', 'c.ts s map'],
    ],
    [
      'what is not there is placed',
      ['x.ts'],
      { L1: ['file:x.ts', 'symbol:y.ts', 'history:z'] },
      ['a.ts s map', 'b.ts s map', 'c.ts s map'],
    ],
  ])('where %s', (_title, selected, tiers, wanted) => {
    const own = session(selected);
    expect(seen(own, gather(own, tiers))).toEqual(wanted);
  });

  test("a tier has the texts of S1's second step", () => {
    const gathered = gather(session(['a.ts', 'b.ts']), {
      L2: ['file:b.ts', 'symbol:c.ts', 'history:m0', 'file:a.ts'],
    });
    expect(gathered.tieredContent.L2).toMatchObject({
      symbols: 'c.ts:\n  c text of \n',
      files: `${fileBlock('b.ts', 'text of b.ts')}\n\n${fileBlock('a.ts', 'text of a.ts')}\n\n`,
      history: [user(0)],
    });
    expect(gathered).toMatchObject({ activeHistory: [user(1)], activeFiles: '', symbolLegend: 'c=class' });
  });

  test('results of calls stay with their answer, and history in its order', () => {
    const own = session();
    const call = { id: 'c', name: 'read', input: {} };
    own.history.push(
      { id: 'm2', index: 2, role: 'assistant', text: '', toolCalls: [call] },
      { id: 'm3', index: 3, role: 'tool', callId: 'c', text: 'x', isError: false },
    );
    const { tieredContent, activeHistory } = gather(own, { L1: ['history:m2', 'history:m0'] });
    expect(tieredContent.L1.history?.map(({ id }) => id)).toEqual(['m0', 'm2', 'm3']);
    expect(activeHistory.map(({ id }) => id)).toEqual(['m1']);
  });

  test('what stands in no tier is in the order of the policy', () => {
    const own = session(['a.ts', 'b.ts']);
    const tail = createGatherer({ counter }).gather({ ...placed({}), tail: ['file:b.ts'] }, sourcesOf(own));
    expect(tail.activeFiles.indexOf('b.ts')).toBe(0);
  });

  test('a block that is still current may stay where the policy keeps it', () => {
    const own = session(['a.ts']);
    const gatherer = createGatherer({ counter, repeats: 'current' });
    const both = placed({ L0: ['symbol:a.ts'], L1: ['file:a.ts'] });
    const before = gatherer.gather(both, sourcesOf(own));
    expect(seen(own, before)).toEqual(['a.ts s L0', 'a.ts f L1', 'b.ts s map', 'c.ts s map']);
    own.selected.clear();
    expect(gatherer.items(sourcesOf(own)).map(({ key }) => key)).toContain('file:a.ts');
    const again = createGatherer({ counter, repeats: 'current', placed: gatherer.placed() });
    expect(again.items(sourcesOf(own))).toEqual(gatherer.items(sourcesOf(own)));
    expect(gatherer.gather(both, sourcesOf(own)).tieredContent).toEqual(before.tieredContent);
    // Not kept any longer, and not selected: it is seen no more.
    expect(seen(own, gatherer.gather(placed({}), sourcesOf(own)))).toEqual(['a.ts s map', 'b.ts s map', 'c.ts s map']);
  });
});

describe('A log', () => {
  const logOf = (...keys: string[]): TierAssignment => placed({ L1: keys as ItemKey[] }); // keys of what items were too

  test('keeps what a file was, and the order in which blocks and messages came', () => {
    const own = session(['a.ts']);
    const gatherer = createGatherer({ counter, repeats: 'older' });
    const [item] = gatherer.items(sourcesOf(own));
    const before = bytes(own, logOf('file:a.ts', 'history:m0'), gatherer);
    own.files.set('a.ts', 'edited');
    const was = `file:a.ts#${item?.hash}`;
    const after = bytes(own, logOf(was, 'history:m0', 'file:a.ts', 'history:m1'), gatherer);
    const end = before.indexOf('question 0') + 'question 0'.length;
    expect(after.slice(0, end)).toBe(before.slice(0, end));
    const blocks = ['text of a.ts', 'question 0', 'edited', 'question 1'].map((text) => after.indexOf(text));
    expect(blocks).toEqual(blocks.toSorted((one, other) => one - other));
    expect(after).not.toContain('Working Files');
    // What is no longer named is forgotten.
    bytes(own, logOf('file:a.ts'), gatherer);
    expect(bytes(own, logOf(was, 'file:a.ts'), gatherer)).not.toContain('text of a.ts');
  });
});

describe('Items', () => {
  test('are selected files, symbols of the others, and groups of history, hashed as they are shown', () => {
    const own = session(['b.ts']);
    const gatherer = createGatherer({ counter });
    const items = gatherer.items(sourcesOf(own));
    expect(items.map(({ key }) => key)).toEqual([
      'file:b.ts',
      'symbol:a.ts',
      'symbol:c.ts',
      'history:m0',
      'history:m1',
    ]);
    expect(items[0]?.tokens).toBe(fileBlock('b.ts', 'text of b.ts').length);
    own.files.set('b.ts', 'other');
    const after = gatherer.items(sourcesOf(own));
    expect(after.map(({ hash }, at) => hash === items[at]?.hash)).toEqual([false, true, true, true, true]);
  });

  test('are counted once, until they change', () => {
    const own = session(['a.ts']);
    let counted = 0;
    const gatherer = createGatherer({ counter: { count: (text) => (counted++, text.length) } });
    const first = gatherer.gather(placed({ L1: ['file:a.ts'] }), sourcesOf(own));
    expect(counted).toBe(5);
    own.files.set('b.ts', 'other');
    const second = gatherer.gather(placed({ L1: ['file:a.ts'] }), sourcesOf(own));
    expect(counted).toBe(6);
    expect(second.tieredContent.L1).toBe(first.tieredContent.L1);
  });

  test('are counted anew where texts are counted by another measure, with what they were', () => {
    const own = session(['a.ts']);
    const changing = { ...counter };
    const gatherer = createGatherer({ counter: changing, repeats: 'older' });
    const hashes = new Map(gatherer.items(sourcesOf(own)).map(({ key, hash }) => [key, hash]));
    own.files.set('a.ts', 'edited');
    own.files.set('d.ts', 'new');
    const was = ['file:a.ts', 'tree:files'].map((key) => `${key}#${hashes.get(key as ItemKey)}`);
    // Keys of what items were are none of items.
    const assignment = placed({ L0: was as ItemKey[], L1: ['file:a.ts', 'tree:files', 'history:m0'] });
    const tokensNow = (): number[] => {
      const { tieredContent, activeTokens } = gatherer.gather(assignment, sourcesOf(own));
      return [tieredContent.L0.tokens ?? 0, tieredContent.L1.tokens ?? 0, activeTokens];
    };
    const before = tokensNow();
    changing.count = (text) => 2 * text.length;
    expect(tokensNow()).toEqual(before.map((tokens) => 2 * tokens));
  });
});

const PATHS = ['a.ts', 'b.ts', 'c.ts'];

const step = fc.oneof(
  fc.record({
    kind: fc.constant('edited' as const),
    path: fc.constantFrom(...PATHS),
    text: fc.string({ minLength: 1 }),
  }),
  fc.record({ kind: fc.constant('selected' as const), path: fc.constantFrom(...PATHS) }),
  fc.record({ kind: fc.constant('dropped' as const), path: fc.constantFrom(...PATHS) }),
  fc.record({ kind: fc.constant('turn_ended' as const) }),
);

/** Any place for any key, the same key perhaps in several. */
const assignments = fc
  .array(
    fc.tuple(
      fc.constantFrom<TierKey>(...TIER_KEYS),
      fc.constantFrom<ItemKey>(
        ...PATHS.flatMap((path): ItemKey[] => [`file:${path}`, `symbol:${path}`]),
        'history:m0',
        'history:m1',
        'history:m2',
      ),
    ),
    { maxLength: 12 },
  )
  .map((entries) => {
    const of = (tier: TierKey): ItemKey[] => entries.filter(([each]) => each === tier).map(([, key]) => key);
    return placed({ L0: of('L0'), L1: of('L1'), L2: of('L2'), L3: of('L3') });
  });

function take(own: Session, action: typeof step extends fc.Arbitrary<infer Step> ? Step : never): void {
  if (action.kind === 'edited') own.files.set(action.path, action.text);
  else if (action.kind === 'selected') own.selected.add(action.path);
  else if (action.kind === 'dropped') own.selected.delete(action.path);
  else own.history.push(user(own.history.length));
}

test('whatever is edited, selected and placed, a file never appears twice, and none is missing', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(step, assignments), { maxLength: 12 }), (steps) => {
      const own = session();
      const gatherer = createGatherer({ counter });
      for (const [action, assignment] of steps) {
        take(own, action);
        const gathered = gatherer.gather(assignment, sourcesOf(own));
        const paths = seen(own, gathered).map((where) => where.slice(0, where.indexOf(' ')));
        expect(paths.toSorted()).toEqual(PATHS);
        const told = TIER_KEYS.flatMap((key) => gathered.tieredContent[key].history ?? []);
        expect([...told, ...gathered.activeHistory].map(({ id }) => id).toSorted()).toEqual(
          own.history.map(({ id }) => id).toSorted(),
        );
      }
    }),
  );
});

/** A request as one text, in the order in which a provider reads it. */
function bytes(own: Session, assignment: TierAssignment, gatherer = createGatherer({ counter })): string {
  const { system, messages } = assembleRequest({
    systemPrompt: 'You are careful.',
    userPrompt: 'Do it.',
    systemReminder: 'Be exact.',
    ...gatherer.gather(assignment, sourcesOf(own)),
  });
  return [system, ...messages.map(({ role, text }) => `${role} ${text}`)].join('\u0000');
}

test('the bytes before the first item that changed are what they were', () => {
  const edits = fc.record({
    path: fc.constantFrom(...PATHS),
    selected: fc.subarray(PATHS),
    assignment: assignments,
    text: fc.string({ minLength: 1 }),
  });
  fc.assert(
    fc.property(edits, ({ path, selected, assignment, text }) => {
      const own = session(selected);
      const gatherer = createGatherer({ counter });
      const before = bytes(own, assignment, gatherer);
      const at = before.search(selected.includes(path) ? `${path}\n\`` : `${path}:\n`);
      own.files.set(path, text);
      const after = bytes(own, assignment, gatherer);
      expect(after.slice(0, at)).toBe(before.slice(0, at));
      // What was kept from before is what would be made anew.
      expect(after).toBe(bytes(own, assignment));
    }),
  );
});

test('what is added at the end of the last tier leaves all before it as it was', () => {
  fc.assert(
    fc.property(assignments, fc.subarray(PATHS), (assignment, selected) => {
      const own = session(selected);
      const fixed = { ...assignment, tiers: { ...assignment.tiers, L3: ['history:m0' as const] } };
      const more = { ...fixed, tiers: { ...fixed.tiers, L3: ['history:m0' as const, 'history:m1' as const] } };
      const before = bytes(own, fixed);
      const end = before.indexOf('question 0') + 'question 0'.length;
      expect(bytes(own, more).slice(0, end)).toBe(before.slice(0, end));
    }),
  );
});

const LONG = 'word '.repeat(1000);

test.each<[string, TierContent<Message>]>([
  ['the list of files', { fileTree: LONG }],
  ['what comes after its history', { history: [], more: [{ files: LONG }] }],
])('a tier that nobody counted is measured with %s', (_title, content) => {
  const { cacheMarks } = assembleRequest({
    systemPrompt: '',
    tieredContent: { L1: content },
    cacheLimits: { breakpoints: 4, minimumTokens: 1024 },
    userPrompt: 'p',
  });
  expect(cacheMarks).toHaveLength(1);
});
