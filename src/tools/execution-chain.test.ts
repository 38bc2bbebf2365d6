import { describe, expect, test } from 'vitest';
import { thrownBy } from '../../test/fixtures/thrown-by.ts';
import { SkeinError } from '../core/errors.ts';
import type { ToolItem } from '../core/item.ts';
import { isCallable, resolveChain } from './execution-chain.ts';
import { executorOf, PLAIN, systemTool } from './fixtures/tool-bench.ts';

const SUBPROCESS = 'rye/core/primitives/subprocess';

/** An item that says what matters for a chain: `id: type -> executor`. */
function item(text: string, extension = '.yaml'): ToolItem {
  const [, id = '', toolType = '', executorId = executorOf(extension)] =
    /^(\S+): (\S*)(?: -> (\S+))?$/.exec(text) ?? [];
  return { ...PLAIN, id, file: `/p/${id}${extension}`, extension, toolType, executorId };
}

function lookupIn(...items: readonly ToolItem[]): (id: string) => ToolItem {
  return (id) => {
    const found = items.find((one) => one.id === id);
    if (found) return found;
    throw new SkeinError('item_not_found', `There is no tool "${id}"`);
  };
}

const ids = ({ links }: { readonly links: readonly ToolItem[] }) => links.map(({ id }) => id);

describe('an execution chain', () => {
  test.each([
    ['.py', 'python'],
    ['.js', 'node'],
    ['.mjs', 'node'],
    ['.ts', 'node'],
    ['.sh', 'bash'],
  ])('of a %s file that names no executor leads through its runtime to a process', (extension, runtime) => {
    const chain = resolveChain(item('a/b: ', extension), systemTool);
    expect(ids(chain)).toEqual(['a/b', `rye/core/runtimes/${runtime}_runtime`, SUBPROCESS]);
    expect(chain.primitive).toBe('subprocess');
  });

  test('follows what a file names, not its extension', () => {
    const chain = resolveChain(item('a/b: python -> rye/core/runtimes/bash_runtime', '.py'), systemTool);
    expect(ids(chain)).toEqual(['a/b', 'rye/core/runtimes/bash_runtime', SUBPROCESS]);
  });

  test.each([
    ['subprocess', 'subprocess'],
    ['http_client', 'http_client'],
    ['thread', 'thread'],
  ])('may lead straight to the primitive %s', (name, primitive) => {
    const chain = resolveChain(item(`a: x -> rye/core/primitives/${name}`), systemTool);
    expect(chain).toMatchObject({ primitive, links: [{ id: 'a' }, { id: `rye/core/primitives/${name}` }] });
  });

  const runtimes = (count: number): ToolItem[] =>
    Array.from({ length: count }, (_, at) => item(`r${at}: runtime -> ${at + 1 < count ? `r${at + 1}` : SUBPROCESS}`));

  test('may have ten links', () => {
    const lookup = lookupIn(...runtimes(8), systemTool(SUBPROCESS));
    expect(resolveChain(item('a: x -> r0'), lookup).links).toHaveLength(10);
  });

  test('may not have eleven', () => {
    const lookup = lookupIn(...runtimes(9), systemTool(SUBPROCESS));
    expect(thrownBy(() => resolveChain(item('a: x -> r0'), lookup))).toMatchObject({
      code: 'invalid_item',
      detail: { reason: 'too_long', chain: ['a', ...Array.from({ length: 9 }, (_, at) => `r${at}`)] },
    });
  });

  test.each([
    ['cycle', 'a: x -> r', ['r: runtime -> s', 's: runtime -> r'], ['a', 'r', 's']],
    ['cycle', 'a: x -> a', [], ['a']],
    ['not_a_runtime', 'a: x -> b', ['b: python'], ['a']],
    ['no_executor', 'a: x', [], ['a']],
    ['no_executor', 'a: x -> r', ['r: runtime'], ['a', 'r']],
    ['unknown_primitive', 'a: x -> my/own', ['my/own: primitive'], ['a', 'my/own']],
    ['unknown_primitive', 'a: x -> constructor', ['constructor: primitive'], ['a', 'constructor']],
    ['not_a_tool', 'r: runtime -> s', ['s: primitive'], ['r']],
    ['not_a_tool', 's: primitive', [], ['s']],
  ])('is refused as %s: %s, %j', (reason, tool, others, chain) => {
    const thrown = thrownBy(() => resolveChain(item(tool), lookupIn(...others.map((text) => item(text)))));
    expect(thrown).toMatchObject({ code: 'invalid_item', detail: { reason, chain } });
    expect(thrown.message).toContain(chain.join(' → '));
    expect(thrown.where?.file).toBe(`/p/${chain.at(-1)}.yaml`);
  });

  test('with a link that is not there keeps the code and names the chain', () => {
    const thrown = thrownBy(() => resolveChain(item('a: x -> r'), lookupIn(item('r: runtime -> gone'))));
    expect(thrown).toMatchObject({
      code: 'item_not_found',
      message: 'the executor gone of a → r cannot be used: There is no tool "gone"',
      detail: { reason: 'missing_link', chain: ['a', 'r', 'gone'] },
    });
  });

  test.each([
    ['a: python', true],
    ['a: ', true],
    ['a: http -> rye/core/primitives/http_client', true],
    ['a: thread -> rye/core/primitives/thread', false],
    ['a: runtime', false],
    ['a: primitive', false],
  ])('and whether %s may be offered: %j', (text, callable) => {
    expect(isCallable(item(text))).toBe(callable);
  });
});
