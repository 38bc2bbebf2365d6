import { h } from 'preact';
import { afterEach, expect, test, vi } from 'vitest';
import { happen } from '../fixtures/bare-node.ts';
import { draw } from '../fixtures/drawn.ts';
import { SearchView } from './search-view.tsx';

afterEach(() => void vi.unstubAllGlobals());

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
