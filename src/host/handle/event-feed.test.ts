import { expect, test } from 'vitest';
import { createHostBench } from '../../../test/fixtures/host-bench.ts';
import { suspendThread } from '../endings/thread-ending.ts';

const listener = { event: () => undefined, ended: () => undefined };

test.each([
  ['ends', 'ended'],
  ['is suspended', 'suspended'],
] as const)('a worker forgets who is listened to when a thread %s', (_how, phase) => {
  const bench = createHostBench();
  const [followed, other] = [bench.spawn(), bench.spawn()];
  bench.host.feed.listen(followed, listener);
  for (const entry of [followed, other]) {
    if (phase === 'ended') bench.end(entry);
    else suspendThread(bench.host, entry, 'user');
    expect([entry.phase, entry.worker]).toEqual([phase, -1]);
  }
  const { thread } = followed.lineage;
  const told = bench.sent.filter(({ type }) => type === 'watch');
  expect(told).toEqual([true, false].map((on) => ({ type: 'watch', threads: [thread], on })));
});
