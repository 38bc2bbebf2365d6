import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { createTiersBench, type TiersBench } from '../../../test/fixtures/tiers-bench.ts';
import { SkeinError, type SkeinErrorCode } from '../../core/errors.ts';
import { reviewText } from './review-text.ts';

/** A review of two files, the first of which can't be parsed as it was. */
async function reviewing(code: SkeinErrorCode, tried: string[]): Promise<TiersBench> {
  const outline = (path: string): Promise<string> => {
    tried.push(path);
    if (path === 'a.ts') return Promise.reject(new SkeinError(code, 'The symbol worker is gone'));
    return Promise.resolve(`${path}:\n  b before`);
  };
  const bench = await createTiersBench({ files: { 'a.ts': 'a1', 'b.ts': 'b1' }, outline });
  const git = (...args: readonly string[]): Buffer =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: bench.root });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'all');
  bench.write({ 'a.ts': 'a2', 'b.ts': 'b2' });
  bench.session.review = 'HEAD';
  return bench;
}

test('A file that brought the parser down as it was has no block in a review, and is not parsed again', async () => {
  const tried: string[] = [];
  using bench = await reviewing('tool_failed', tried);
  const text = await reviewText(bench);
  expect(text).toContain('a.ts (+1 -1)');
  expect(text).toContain('b before');
  expect(await reviewText(bench)).toBe(text);
  expect(tried.toSorted()).toEqual(['a.ts', 'b.ts']);
});

test('A review that is read while the runtime closes is none', async () => {
  using bench = await reviewing('runtime_closed', []);
  await expect(reviewText(bench)).rejects.toMatchObject({ code: 'runtime_closed' });
});
