import { expect, test } from 'vitest';
import { compileTemplate } from '../template.ts';

const LINE = '- item\n';

// A partial that was kept is seen by its old text, since it is not compiled again.
test.each([
  ['where it is not indented', 0, true],
  ['not where its indent makes it longer than all that may be kept', 40, false],
])('A partial is kept by what it holds: %s', (_, width, isKept) => {
  const registry = new Map([['items', LINE.repeat(10_000)]]);
  const indent = ' '.repeat(width);
  const template = compileTemplate(`${indent}{{>items}}`, 'mustache', { registry });
  expect(template.render({}).text === `${indent}${LINE}`.repeat(10_000)).toBe(true);
  registry.set('items', 'another');
  expect(template.render({}).text.endsWith('another')).toBe(!isKept);
});
