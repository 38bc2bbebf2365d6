import { h } from 'preact';
import { afterEach, expect, test, vi } from 'vitest';
import { happen } from '../fixtures/bare-node.ts';
import { draw } from '../fixtures/drawn.ts';
import { SearchView } from './search-view.tsx';

afterEach(() => void vi.unstubAllGlobals());

test('What is found leads to its place in the transcript', async () => {
  const hit = {
    thread_id: 't',
    directive: 'd',
    event_type: 'cognition_out',
    sequence: 12,
    at_ms: 1,
    snippet: 'a wren',
  };
  const drawn = draw(h(SearchView, { query: 'wren' }), () => ({ hits: [hit], searched: 1 }));
  await expect
    .poll(() => drawn.find('a').map((link) => Object(link).href ?? link.attributes.get('href')))
    .toEqual(['#/thread/t/transcript?at=12']);
});

test('Searching for the same words again finds what has been said since', async () => {
  vi.stubGlobal(
    'FormData',
    class {
      get = (): string => 'wren';
    },
  );
  const drawn = draw(h(SearchView, { query: 'wren' }), () => ({ hits: [], searched: drawn.asked.length }));
  await expect.poll(drawn.text).toContain('0 found in 1 threads');
  happen(drawn.find('form')[0], 'submit');
  await expect.poll(drawn.text).toContain('0 found in 2 threads');
});
