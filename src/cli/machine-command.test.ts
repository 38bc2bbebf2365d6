import { describe, expect, test } from 'vitest';
import { createActor, createMachine, type AnyStateMachine, type AnyStateNode } from 'xstate';
import { supervisorChart } from '../../machines/supervisor.chart.ts';
import { threadChart } from '../../machines/thread.chart.ts';
import { readChart } from '../inspect/chart/chart-graph.ts';
import { dispatch } from './dispatch.ts';
import { carryOut, type Finished } from './fixtures/carry-out.ts';
import { chartToMermaid } from './machine-mermaid.ts';
import { chartToSvg } from './machine-svg.ts';
import { chartToText } from './machine-text.ts';
import { tell } from './start.ts';

const run = (...args: readonly string[]): Promise<Finished> =>
  carryOut({ dispatch, tell }, args, { cwd: '/', env: {} });
const STATES = [...Object.keys(threadChart.states), ...Object.keys(threadChart.states.running.states)];

describe('skein machine', () => {
  test('prints the supervisor as lines of ASCII, every event in its state', async () => {
    const { stdout } = await run('machine', 'supervisor');
    expect(stdout).toMatch(/^[\n -~]+$/);
    const [, , , accepting = ''] =
      /^(-> \[starting\]\n(?: {4}.*\n)+)(\[accepting\]\n)((?: {4}.*\n)+)/.exec(stdout) ?? [];
    const lines = accepting
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().split(/\s+/));
    expect(lines).toHaveLength(Object.keys(supervisorChart.states.accepting.on).length);
    expect(lines).toContainEqual(['SPAWN', '(stays)']);
    expect(lines).toContainEqual(['DRAIN', '-->', 'draining']);
    expect(stdout).toContain('((stopped))');
  });

  test('prints the thread by default, with its steps inside', async () => {
    const { stdout } = await run('machine');
    for (const state of STATES) expect(stdout).toMatch(new RegExp(`[[(]${state}[\\])]`));
    expect(stdout).toMatch(/ {2}\| {5}RESERVED +--> running\.calling\n/);
  });

  test('prints Mermaid in which every state is declared once and every end of an arrow is one', async () => {
    const { stdout } = await run('machine', '--format', 'mermaid');
    const [first, ...lines] = stdout.trimEnd().split('\n');
    expect(first).toBe('stateDiagram-v2');
    const declared = lines.flatMap((line) => /^ *state ".*" as (\w+)/.exec(line)?.slice(1) ?? []);
    expect(new Set(declared).size).toBe(declared.length);
    expect(declared).toHaveLength(STATES.length + 1);
    const ends = lines.flatMap((line) => /^ *(\S+) --> ([^\s:]+)/.exec(line)?.slice(1) ?? []);
    expect(ends.length).toBeGreaterThan(80);
    expect(ends.filter((end) => end !== '[*]' && !declared.includes(end))).toEqual([]);
  });

  test('prints an SVG document with every state and event, which loads nothing', async () => {
    const { stdout } = await run('machine', 'thread', '--format', 'svg');
    expect(stdout).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*>\n[\s\S]*<\/svg>\n$/);
    const texts = [...stdout.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
    const asWords = (name: string): string => name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
    expect(STATES.map(asWords).filter((words) => !texts.includes(words))).toEqual([]);
    expect(texts).toContain('within limits');
    expect(stdout).not.toMatch(/href|url\((?!#)|<script|NaN|undefined/);
  });

  test('prints JSON that createMachine takes', async () => {
    const { stdout } = await run('machine', 'supervisor', '--json');
    const actor = createActor(createMachine(JSON.parse(stdout) as never)).start();
    actor.send({ type: 'READY' });
    expect(actor.getSnapshot().value).toBe('accepting');
  });

  test.each([
    [['machine', 'worker'], 'machine takes thread or supervisor; given: "worker"'],
    [['machine', 'thread', 'supervisor'], 'machine takes thread or supervisor; given: "thread", "supervisor"'],
    [['machine', '--json', '--format', 'svg'], '--json is --format json, and not svg'],
    [['machine', '--json', '--format', 'svg'], '--json is --format json, and not svg'],
    [['machine', '--format', 'png'], '--format is "png"; one of ascii, mermaid, svg, json is expected'],
  ])('%j is refused', async (args, message) => {
    const { code, stderr } = await run(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

/** A state around others that handles an event itself, beside arrows to the inside, within it, and out of the inside. */
const NESTED = {
  id: 'nested',
  initial: 'outer',
  states: {
    outer: {
      initial: 'first',
      on: {
        NOTE: { actions: 'note' },
        JUMP: '.second',
        LEAVE: [{ guard: 'may', target: 'over' }, { actions: 'note' }],
      },
      states: {
        first: { on: { NEXT: 'second', SAY: { actions: 'say' }, LEAP: '#nested.over' } },
        second: { on: { AGAIN: { target: 'second', reenter: true } } },
      },
    },
    over: { type: 'final' },
  },
} as const;

describe.each([
  ['a thread', createMachine(threadChart as never), threadChart],
  ['the supervisor', createMachine(supervisorChart as never), supervisorChart],
  ['a chart with a state that holds others and handles events', createMachine(NESTED), NESTED],
])('Every transition of %s', (_, machine: AnyStateMachine, chart: unknown) => {
  const graph = readChart(chart);
  const expected = transitionsOf(machine.root);

  test('is in the lines of ASCII', () => expect(ofText(chartToText(graph))).toEqual(expected));

  test('is in Mermaid', () => expect(ofMermaid(chartToMermaid(graph))).toEqual(expected));

  test('is in the SVG document: a line for each event that a state handles, and a label on a way', async () => {
    const svg = chartToSvg(graph, 'x');
    const seen = [...svg.matchAll(/<text class="(event|stay)"[^>]*>([^<]*)<\/text>/g)].map(([, kind, text]) => [
      kind,
      text,
    ]);
    const written = (event: string): string => event.replaceAll('_', ' ').toLowerCase();
    const stays = graph.states.flatMap((state) => state.stays.map((event) => ['stay', written(event)]));
    expect(seen.filter(([kind]) => kind === 'stay')).toEqual(expect.arrayContaining(stays));
    const ways = expected.filter((line) => !line.endsWith('-> stays')).map((line) => written(line.split(' ')[1] ?? ''));
    expect(seen.flatMap(([kind, text]) => (kind === 'event' ? [text] : []))).toEqual(expect.arrayContaining(ways));
  });
});

test('In Mermaid a state is named only where it stands, or around that: it would be drawn where it is named first', () => {
  const lines = chartToMermaid(readChart(threadChart)).split('\n');
  const inside = lines.slice(lines.findIndex((line) => line.endsWith('{')) + 1, lines.indexOf('  }'));
  const ends = inside.flatMap((line) => /^ *(\S+) --> ([^\s:]+)/.exec(line)?.slice(1) ?? []);
  expect(ends.filter((end) => end !== '[*]' && !end.startsWith('running__'))).toEqual([]);
});

/** As XState understands a chart: `running.calling ANSWERED -> running.settling`; `stays` where nothing is entered. */
function transitionsOf(node: AnyStateNode): string[] {
  const own = [...node.transitions.values()].flat().map(({ eventType, target }) => {
    return `${node.path.join('.')} ${eventType} -> ${target?.map(({ path }) => path.join('.')).join(',') ?? 'stays'}`;
  });
  return [...new Set([...own, ...Object.values(node.states).flatMap(transitionsOf)])].toSorted();
}

function ofText(text: string): string[] {
  const path: string[] = [];
  const found = text
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const [, bars = '', rest = ''] = /^((?: {2}\| )*)(.*)$/.exec(line) ?? [];
      const state = /^(?:-> )?[[(]+([\w ]+)[\])]+$/.exec(rest)?.[1];
      if (state !== undefined) path.splice(bars.length / 4, path.length, state);
      const way = /^ {4}(\w+) +(?:--> (\S+)|\((stays)\))$/.exec(rest);
      const from = path.filter((name) => name !== 'any step').join('.');
      return way ? [`${from} ${way[1]} -> ${way[2] ?? way[3]}`] : [];
    });
  return found.toSorted();
}

function ofMermaid(text: string): string[] {
  const idOf = (name = ''): string => name.replace(/__any$/, '').replaceAll('__', '.');
  const found = text.split('\n').flatMap((line) => {
    const [, from, to, events = ''] = /^ *(\w+) --> (\w+): (.*)$/.exec(line) ?? [];
    const [, handled = '', outer = ''] = /^ *state "\w+ \((.*)\)" as (\w+) \{$/.exec(line) ?? [];
    const [, leaf, event] = /^ *(\w+): (\w+)$/.exec(line) ?? [];
    if (leaf !== undefined) return [`${idOf(leaf)} ${event} -> stays`];
    if (outer !== '') return handled.split(', ').map((each) => `${idOf(outer)} ${each} -> stays`);
    return from === undefined ? [] : events.split(', ').map((each) => `${idOf(from)} ${each} -> ${idOf(to)}`);
  });
  return found.toSorted();
}
