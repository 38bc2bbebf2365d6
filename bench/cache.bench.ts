/*
 * What the order of a prompt saves: coding sessions replayed against a model of a provider's prefix cache. See README.md for
 * what is measured, cache/constants.ts for what is taken for granted. `node bench/cache.bench.ts [--json]`; with `--blocks N`
 * symbol blocks are N times as long as the stored ones and every file has one, with `--changing` each edit changes its file's;
 * such results are printed, and not written.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SESSION } from './cache/constants.ts';
import { NO_CACHE, ONE_MARK } from './cache/baselines.ts';
import { CONTENDERS } from './cache/contenders.ts';
import { readBlockForm, withBlocks } from './cache/larger-blocks.ts';
import { renderBars } from './cache/picture.ts';
import { replay, type Contender } from './cache/replay.ts';
import { readSessions, type Session } from './cache/session.ts';
import { cacheFigures, HELD_OUT, type CacheResult } from './cache/figures.ts';
import { beginRun } from './machine.ts';
import { RESULTS, writePage } from './report.ts';
import type { Result } from './results.ts';
import { encodeStored, type Stored } from './stored.ts';
import { checkTargets } from './targets.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    blocks: { type: 'string' },
    changing: { type: 'boolean', default: false },
  },
});
const describeRun = beginRun('src');
const blocks = readBlockForm(values.blocks, values.changing);
const results = ['tuning', 'held-out', 'held-out-later'].flatMap((sessions) =>
  SESSION.questions.flatMap((questions) =>
    readSessions(sessions).flatMap((stored) =>
      replayAll(blocks ? withBlocks(stored, blocks) : stored, questions).map((one) => ({ sessions, ...one })),
    ),
  ),
);
if (!blocks) store(results);
if (values.json) console.log(JSON.stringify(results, undefined, 2));
else print(results);

/** Everything anew: there are no runs of which one could have less than another. */
function store(all: readonly CacheResult[]): void {
  mkdirSync(RESULTS, { recursive: true });
  const stored: Stored & { readonly sessions: readonly CacheResult[] } = {
    reports: [{ ...describeRun(), results: figuresOf(all) }],
    leftOut: [],
    sessions: all,
  };
  writeFileSync(join(RESULTS, 'cache.json'), encodeStored(stored));
  writeFileSync(join(RESULTS, 'cache.svg'), renderBars(all));
  writePage();
}

function replayAll(session: Session, questions: number): Omit<CacheResult, 'sessions'>[] {
  const whole = replay(session, questions, NO_CACHE).cost;
  return [ONE_MARK, ...CONTENDERS].map((contender: Contender) => {
    const { cost, read, sent } = replay(session, questions, contender);
    const rounded = { cost: round(cost / whole), read: round(read / sent) };
    return { session: session.name, questions, contender: contender.name, ...rounded };
  });
}

function print(all: readonly CacheResult[]): void {
  for (const [title, block] of Map.groupBy(all, ({ sessions, questions }) => titleOf(sessions, questions))) {
    console.log(`${title}: cost relative to no cache, share read\n`);
    const names = [...new Set(block.map(({ session }) => session))];
    console.log(`${''.padEnd(26)}${names.map((name) => name.padStart(14)).join('')}          mean`);
    for (const [contender, row] of Map.groupBy(block, (one) => one.contender)) {
      const cells = row.map(({ cost, read }) => `${cost.toFixed(3)} ${percent(read)}`.padStart(14)).join('');
      const mean = row.reduce((sum, { cost }) => sum + cost, 0) / row.length;
      console.log(`${contender.padEnd(26)}${cells}  ${mean.toFixed(3)} ${bar(mean)}`);
    }
    console.log('');
  }
  console.log('Targets');
  for (const { text, reached } of checkTargets(figuresOf(all))) {
    console.log(`  ${reached ? 'reached' : 'MISSED '}  ${text}`);
  }
}

function figuresOf(all: readonly CacheResult[]): readonly Result[] {
  return HELD_OUT.flatMap((kinds) => cacheFigures(all, kinds));
}

function titleOf(sessions: string, questions: number): string {
  return `${sessions} sessions, ${questions === 1 ? 'one question' : `${questions} questions`} before each edit`;
}

function bar(mean: number): string {
  return '█'.repeat(Math.round(mean * 40));
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`.padStart(5);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
