import { expect, test } from 'vitest';
import type { FileContext } from '../../core/assembly.ts';
import type { ModelBinding } from '../../providers/provider-registry.ts';
import { LENGTH_COUNTER } from '../../providers/token-counter.ts';
import { createProjectView } from './project-view.ts';

test('What a project takes is counted once, until it is another text', () => {
  const counted: string[] = [];
  const count = (text: string): number => counted.push(text);
  // Of a model this is what the view asks.
  const model = { contextWindow: 1_000_000, counter: { ...LENGTH_COUNTER, count } } as unknown as ModelBinding;
  let paths = ['a.ts', 'b.ts'];
  const files: FileContext = { selected: () => [], tree: () => paths, content: () => undefined };
  const view = createProjectView();
  view.files(files, model);
  paths = ['a.ts', 'c.ts'];
  expect(view.files(files, model).tree()).toEqual(paths);
  expect(counted).toEqual(['a.ts\n', 'b.ts\n', 'c.ts\n']);
});
