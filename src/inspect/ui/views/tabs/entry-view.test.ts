import { h } from 'preact';
import { describe, expect, test } from 'vitest';
import type { LogEvent } from '../../../api.ts';
import { draw, type Drawn } from '../../fixtures/drawn.ts';
import { logEvent } from '../../fixtures/log-event.ts';
import { transcriptEntries } from '../../model/transcript-entries.ts';
import { EntryView } from './entry-view.tsx';

const CALL = logEvent(4, 'tool_call_start', { tool: 'rye/file', call_id: 'a', input: { path: 'x' } });
const RESULT = logEvent(7, 'tool_call_result', { call_id: 'a', output: 'The beg', duration_ms: 3 });
const cut = (event: LogEvent): LogEvent => ({ ...event, cut: true });

/** The first entry that these make, and where it was forked. */
function entry(...events: readonly LogEvent[]): { readonly drawn: Drawn; readonly forks: readonly number[] } {
  const forks: number[] = [];
  const drawn = draw(
    transcriptEntries(events).map((one) => h(EntryView, { id: 't', entry: one, onFork: (at) => forks.push(at) })),
    (path) => ({ event: logEvent(0, path, { whole: path }) }),
  );
  return { drawn, forks };
}

describe('An entry', () => {
  test.each<[string, readonly LogEvent[], number]>([
    ['a call that has a result, with that', [CALL, logEvent(5, 'usage'), RESULT], 7],
    ['a call that has none yet', [CALL, logEvent(5, 'usage')], 4],
    ['an answer', [logEvent(3, 'cognition_out', { text: 'Yes' })], 3],
  ])('is forked after all of it: %s', (_, events, at) => {
    const { drawn, forks } = entry(...events);
    drawn.press('Fork…');
    expect(forks).toEqual([at]);
  });

  test.each<[string, readonly LogEvent[], Readonly<Record<string, string>>]>([
    ['the result of a call', [CALL, cut(RESULT)], { 'The result': 'threads/t/events/7' }],
    [
      'a call and its result',
      [cut(CALL), cut(RESULT)],
      { 'The call': 'threads/t/events/4', 'The result': 'threads/t/events/7' },
    ],
    ['what was said', [cut(logEvent(3, 'cognition_out', { text: 'Y' }))], { 'The event': 'threads/t/events/3' }],
  ])('that was cut is shown whole, each event of it by itself: %s', async (_, events, wholes) => {
    const { drawn } = entry(...events);
    expect(drawn.text().match(/The \w+ was cut/g)).toEqual(Object.keys(wholes).map((what) => `${what} was cut`));
    for (const [what, path] of Object.entries(wholes)) {
      drawn.press(`${what} was cut: show it whole`);
      await expect.poll(drawn.text).toContain(`"whole": "${path}"`);
    }
  });
});
