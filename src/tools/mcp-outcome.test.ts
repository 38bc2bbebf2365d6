import { describe, expect, test } from 'vitest';
import { mcpOutcome } from './mcp-outcome.ts';

const text = (value: string): object => ({ type: 'text', text: value });

function nested(depth: number): object {
  return depth === 0 ? {} : { a: nested(depth - 1) };
}

describe('A result of an MCP tool', () => {
  test.each([
    ['one text', { content: [text('a')] }, 'a'],
    ['several texts', { content: [text('a'), text('b')] }, 'a\nb'],
    ['nothing', { content: [] }, ''],
    ['structured content alone', { content: [], structuredContent: { a: [1] } }, { a: [1] }],
    ['the same as JSON text', { content: [text('{ "a": [1] }')], structuredContent: { a: [1] } }, { a: [1] }],
    [
      'another text beside it',
      { content: [text('note')], structuredContent: { a: 1 } },
      { structured_content: { a: 1 }, content: 'note' },
    ],
    [
      'digits that a number would lose, over HTTP',
      // As the SDK reads it there.
      { content: [text('{ "id": 1765432109876543211 }')], structuredContent: JSON.parse('{"id":1765432109876543211}') },
      { id: '1765432109876543211' },
    ],
    ['a list as structured content', { content: [], structuredContent: [1, 2] }, [1, 2]],
    [
      'words of a hostile server in a description',
      { content: [{ type: 'image', data: '', mimeType: 'x\u202E\n[y]' }] },
      '[image x [y], 0 bytes, not shown]',
    ],
  ])('with %s is %s', (_, result, value) => {
    expect(mcpOutcome('mcp/s/t', result)).toEqual({ ok: true, value });
  });

  test.each([
    ['an error', { content: [text('no paper')], isError: true }, 'threw', 'no paper'],
    ['an error without a word', { content: [], isError: true }, 'threw', 'it does not say why'],
    ['too much text', { content: [text('x'.repeat(1_100_000))] }, 'output_too_large', 'characters'],
    [
      'too much structure',
      { content: [], structuredContent: ['x'.repeat(1_100_000)] },
      'output_too_large',
      'characters',
    ],
    [
      'far too many blocks',
      { content: Array.from({ length: 1_000_000 }, () => text('')) },
      'output_too_large',
      'or 10000 blocks',
    ],
    ['too deep a structure', { content: [], structuredContent: nested(5_000) }, 'output_too_large', 'deep'],
  ])('that is %s fails', (_, result, reason, words) => {
    expect(mcpOutcome('mcp/s/t', result)).toMatchObject({
      ok: false,
      failure: { code: 'tool_failed', message: expect.stringContaining(words), detail: { reason } },
    });
  });

  test('that is a long error is not cut in the middle of a character', () => {
    const content = [text(`${'a'.repeat(3_999)}😀`)];
    const message = `tool mcp/s/t failed: ${'a'.repeat(3_999)}`;
    expect(mcpOutcome('mcp/s/t', { content, isError: true })).toMatchObject({ failure: { message } });
  });
});
