import { expect, test } from 'vitest';
import { textWidth } from './text-width.ts';
import { threadTreeText } from './thread-tree-text.ts';
import type { ThreadTree } from './thread-tree.ts';

const COST = { turns: 12, input_tokens: 0, output_tokens: 0, spend: 0.1234 };

function thread(no: number, children: readonly ThreadTree[] = []): ThreadTree {
  const thread_id = `thread-${String(no).padStart(32, '0')}`;
  return { thread_id, directive: 'demo/a-directive', status: 'completed', cost: COST, children };
}

/** Ten levels, of which the last one counts others. */
function deep(level = 1): ThreadTree {
  if (level < 10) return thread(level, [deep(level + 1), thread(100 + level)]);
  return { ...thread(level), more: { threads: 30, statuses: { completed: 30 }, turns: 360, spend: 3.7 } };
}

test.each([80, 50, 30])('a tree keeps each id whole on a terminal of %i columns', (columns) => {
  const lines = threadTreeText(deep(), { write: () => true, isTTY: true, columns }).split('\n');
  expect(lines.filter((line) => /^[ │├└]*(?:demo.*)?….* thread-\d{32}$|thread-\d{32}$/.test(line))).toHaveLength(19);
  expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(Math.max(50, columns - 1));
});

test('a tree is whole where no terminal shows it', () => {
  expect(threadTreeText(thread(1, [thread(2)]), { write: () => true, columns: 30 })).toBe(
    [1, 2]
      .map((no) => `${no === 2 ? '└ ' : ''}demo/a-directive  completed · 12 turns · $0.1234  ${thread(no).thread_id}`)
      .join('\n'),
  );
});
