import { h, options } from 'preact';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { LogEvent } from '../../../api.ts';
import { nodesIn, type BareNode } from '../../fixtures/bare-node.ts';
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

function isUnfolded(details: BareNode): boolean {
  return details.attributes.get('open') === '' || details.attributes.get('open') === true;
}

/** A tab that shows this log. */
function tab(transcript: Transcript) {
  const drawn = draw(h(TranscriptTab, { id: 't', at: transcript.at }), () => undefined, { transcript });
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

  test('shows the entry that is asked for, unfolded, and nothing that does not follow it', async () => {
    const shown: string[] = [];
    const getElementById = (id: string) => ({ scrollIntoView: () => shown.push(id) });
    vi.stubGlobal('document', { getElementById });
    onTestFinished(() => void vi.unstubAllGlobals());
    const around = { ...emptyTranscript('t', 6), opening: 'done', more: true } as const;
    const { drawn, change } = tab(withWords(withEvents(around, log(5)), { from: 0, text: 'Words' }));
    expect(shown).toEqual(['step-5']);
    expect(drawn.find('entry-found').map((entry) => entry.attributes.get('id') ?? Object(entry).id)).toEqual([
      'step-5',
    ]);
    expect(drawn.find('entry-found').flatMap((entry) => nodesIn(entry, 'details').map(isUnfolded))).toEqual([
      true,
      true,
    ]);
    expect(drawn.find('details').filter(isUnfolded)).toHaveLength(2);
    expect(drawn.text()).toContain('Later To its end');
    expect(drawn.text()).not.toContain('Words');
    change((now) => ({ ...now, more: false }));
    await expect.poll(drawn.text).toContain('Words');
    expect(shown).toHaveLength(1);
  });
});
