import { h, options } from 'preact';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LogEvent } from '../../../api.ts';
import { draw } from '../../fixtures/drawn.ts';
import { logEvent } from '../../fixtures/log-event.ts';
import { emptyTranscript, withEvents, withWords, type Transcript } from '../../model/transcript.ts';
import { TranscriptTab } from './transcript-tab.tsx';

/** A log of so many answers, each with a call; the last one has no result yet. */
function log(turns: number): LogEvent[] {
  return Array.from({ length: turns }, (_, at) => [
    logEvent(3 * at + 1, 'cognition_out', { text: `Answer ${at}` }),
    logEvent(3 * at + 2, 'tool_call_start', { tool: 'read', call_id: `c${at}`, input: { at } }),
    logEvent(3 * at + 3, 'tool_call_result', { call_id: `c${at}`, output: `Output ${at}`, duration_ms: 1 }),
  ])
    .flat()
    .slice(0, -1);
}

/** How many elements of this name views have made, over and over. */
function countMade(name: string): () => number {
  let made = 0;
  // Preact tells of each.
  options.vnode = ({ type }) => {
    if (type === name) made++;
  };
  onTestFinished(() => void delete options.vnode);
  return () => made;
}

/** A tab that shows this log. */
function tab(transcript: Transcript) {
  const drawn = draw(h(TranscriptTab, { id: 't' }), () => undefined, { transcript });
  const change = (step: (now: Transcript) => Transcript): void =>
    drawn.dashboard.store.set((state) => ({ ...state, transcript: state.transcript && step(state.transcript) }));
  return { drawn, change };
}

describe('The transcript', () => {
  test.each<[Transcript['opening'], string]>([
    ['under way', 'Reading the transcript…'],
    [{ code: 'store_failed', message: 'gone' }, 'The transcript can’t be shown: gone'],
    ['done', 'Nothing was said yet.'],
  ])('says how it stands where nothing is there (%j)', (opening, said) => {
    expect(tab({ ...emptyTranscript('t'), opening }).drawn.text()).toBe(said);
  });

  test('draws no entry again for words that come, nor others than those that an event is about', async () => {
    const made = countMade('li');
    const { drawn, change } = tab(withEvents({ ...emptyTranscript('t'), opening: 'done' }, log(50)));
    expect(made()).toBe(100);
    change((now) => withWords(now, { from: 0, text: 'One' }));
    await expect.poll(drawn.text).toContain('One');
    const before = made();
    change((now) => withWords(now, { from: 3, text: ' two' }));
    await expect.poll(drawn.text).toContain('One two');
    expect(made() - before).toBe(1);
    const result = logEvent(150, 'tool_call_result', { call_id: 'c49', output: 'Output 49', duration_ms: 1 });
    change((now) => withEvents(now, [result, logEvent(151, 'cognition_out', { text: 'One two three' })]));
    await expect.poll(drawn.text).toContain('One two three');
    expect(made() - before).toBe(3);
    expect(drawn.find('entry')).toHaveLength(101);
    expect(drawn.text()).toContain('Output 49');
  });
});
