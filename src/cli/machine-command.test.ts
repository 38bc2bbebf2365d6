import { describe, expect, test } from 'vitest';
import { createActor, createMachine } from 'xstate';
import { supervisorChart } from '../../machines/supervisor.chart.ts';
import { threadChart } from '../../machines/thread.chart.ts';
import { dispatch } from './dispatch.ts';
import { carryOut, type Finished } from './fixtures/carry-out.ts';
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
    [['machine', '--format', 'png'], '--format is "png"; one of ascii, mermaid, svg, json is expected'],
  ])('%j is refused', async (args, message) => {
    const { code, stderr } = await run(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
