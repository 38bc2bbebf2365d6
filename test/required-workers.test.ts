import { expect, test } from 'vitest';

// For a module with a default export that is required, as Piscina does, Node 24 links a module more, and asserts that it could;
// it can't while the worker is being terminated, and the whole process ends.
test.each(['thread', 'symbols'])('what Piscina requires as the %s worker has no default export', async (name) => {
  const module = (await import(`../dist/workers/${name}.worker.js`)) as object;
  expect(Object.keys(module)).toContain('run');
  expect(Object.keys(module)).not.toContain('default');
});
