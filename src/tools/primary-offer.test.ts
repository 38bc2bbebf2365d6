import { describe, expect, test } from 'vitest';
import { PRIMARY_ACTIONS } from '../core/item.ts';
import { offersPrimary, primaryOfTool, primaryToolId } from './primary-offer.ts';

describe('A primary action is offered', () => {
  test.each([
    ['nothing', [], []],
    ['an empty level', [[]], []],
    ['everything', [['*']], ['execute', 'search', 'load', 'sign', 'fetch']],
    ['everything of Skein', [['rye.*']], ['execute', 'search', 'load', 'sign', 'fetch']],
    ['one tool', [['rye.execute.tool.a.b']], ['execute']],
    ['tools of one kind', [['rye.execute.tool.*']], ['execute']],
    ['a beginning', [['rye.s*']], ['search', 'sign', 'fetch']],
    ['a star within', [['rye.*.tool.a']], ['execute', 'search', 'load', 'sign', 'fetch']],
    ['fetch, which covers load and search', [['rye.fetch.*']], ['search', 'load', 'fetch']],
    ['load, which is half of fetch', [['rye.load.knowledge.x']], ['load', 'fetch']],
    ['search, which is the other half', [['rye.search.*']], ['search', 'fetch']],
    ['what no call fits', [['rye.execute', 'execute.tool.a', 'rye.executed.*']], []],
    ['two levels', [['rye.*'], ['rye.sign.directive.*']], ['sign']],
    ['two levels without a common one', [['rye.execute.*'], ['rye.sign.*']], []],
  ])('for %s', (_, chain, offered) => {
    expect(PRIMARY_ACTIONS.filter((primary) => offersPrimary(primary, chain))).toEqual(offered);
  });
});

describe('The tool of a primary action', () => {
  test.each(PRIMARY_ACTIONS.map((primary) => [primary]))('%s has an id that leads back to it', (primary) => {
    expect(primaryOfTool(primaryToolId(primary))).toBe(primary);
  });

  test.each([['rye/bash'], ['execute'], ['rye/execute/x'], ['']])('is not %s', (id) => {
    expect(primaryOfTool(id)).toBeUndefined();
  });
});
