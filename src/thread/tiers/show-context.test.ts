import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createThreadBench } from '../../../test/fixtures/thread-bench.ts';
import type { TierPolicyName } from '../../core/assembly.ts';
import { createGatherer } from '../../prompt/tiers/assemble-gather.ts';
import { tierLayout } from '../../prompt/tiers/policy-by-name.ts';
import { createFileContext } from '../../symbols/file-context.ts';
import type { InWorker } from '../conversation/conversation.ts';
import type { AssemblySession } from './assembly-session.ts';
import { giveRoom, selectFile, showContext } from './show-context.ts';

const page = 'https://example.com/';
const text = 'x'.repeat(400);

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-show-'));
  for (const path of ['placed.ts', 'new.ts']) writeFileSync(join(root, path), text);
});
afterEach(() => rmSync(root, { recursive: true }));

/** A thread that shows both files, one of them in a tier. */
function showing(policyName: TierPolicyName): InWorker & { readonly session: AssemblySession } {
  const { thread, services } = createThreadBench();
  const { counter } = thread.plan.model;
  const { repeats } = tierLayout(policyName);
  // Of a session, this is what is looked at.
  const session = {
    policyName,
    gatherer: createGatherer({ counter, repeats, placed: ['placed.ts'] }),
    files: createFileContext({ root, files: () => [], selected: ['placed.ts', 'new.ts'] }),
    pages: new Map(),
    events: [],
  } as unknown as AssemblySession;
  return { thread, services, session };
}

test.each<[TierPolicyName, string, string, boolean]>([
  ['cache-aware', 'a file in a tier', 'placed.ts', true],
  ['stability', 'a file in a tier', 'placed.ts', true],
  ['cache-aware-redundant', 'a file in a tier', 'placed.ts', false],
  ['cache-aware-redundant', 'a file in no tier', 'new.ts', true],
  ['cache-aware-redundant', 'a page', page, true],
  ['append-only', 'a file in the log', 'placed.ts', false],
  ['append-only', 'a file that is not in the log yet', 'new.ts', true],
  ['append-only', 'a page', page, true],
])('Under %s, the room of %s that is dropped is free in the same step (%s): %s', (policyName, _, path, isFree) => {
  const worker = showing(policyName);
  const { thread } = worker;
  const before = thread.contextTokens;
  giveRoom(worker, path, text);
  expect(before - thread.contextTokens).toBe(isFree ? thread.plan.model.counter.count(text) : 0);
});

test.each<[TierPolicyName, string]>([
  ['cache-aware', 'placed.ts'],
  ['cache-aware-redundant', 'placed.ts'],
  ['cache-aware-redundant', 'new.ts'],
  ['append-only', 'new.ts'],
])('Under %s, %s that is dropped and selected in one step takes the room it had', (policyName, path) => {
  const worker = showing(policyName);
  const before = worker.thread.contextTokens;
  expect(worker.session.files.drop(path)).toBe(true);
  giveRoom(worker, path, text);
  showContext(worker, { dropped: [path] });
  expect(selectFile(worker, path)).toBeUndefined();
  expect(worker.thread.contextTokens).toBe(before);
});

test.each([
  ['before', []],
  ['in the same step', [{ kind: 'dropped', path: 'placed.ts' } as const]],
])('Under append-only, a file that was dropped %s takes room: what the log has of it may be older', (_, events) => {
  const worker = showing('append-only');
  const before = worker.thread.contextTokens;
  worker.session.files.drop('placed.ts');
  worker.session.events.push(...events);
  expect(selectFile(worker, 'placed.ts')).toBeUndefined();
  expect(worker.thread.contextTokens).toBeGreaterThan(before);
});
