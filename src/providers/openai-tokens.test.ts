import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { modelToEncodingMap } from 'gpt-tokenizer/mapping';
import { describe, expect, test } from 'vitest';
import { costOf } from '../../test/fixtures/cost-of.ts';
import { createOpenaiCount, encodingOf } from './openai-tokens.ts';

test('the encoding of every model that writes text is that of the table of encodings', () => {
  const known = Object.entries(modelToEncodingMap).filter(([model]) => /^(?:gpt-[3-9]|o\d|chatgpt)/.test(model));
  expect(known.length).toBeGreaterThan(10);
  const wrong = known.filter(([model, encoding]) => {
    // The newest has more special tokens, which never stand in a text.
    const expected = encoding === 'o200k_harmony' ? 'o200k_base' : encoding;
    return encodingOf(model) !== expected;
  });
  expect(wrong).toEqual([]);
});

describe('the count', () => {
  const count = createOpenaiCount('gpt-5-mini');
  const PROSE = 'The quick brown fox jumps over the lazy dog, and {"path": "src/a.ts", "line": 12} is a line of JSON. ';

  test.each(['', 'a', 'Hello there', PROSE, '日本語のテキスト', '🌍🌍🌍'])('of %j is that of the encoding', (text) => {
    expect(count(text)).toBe(encode(text).length);
  });

  test('of a text of several pieces is at most one token a piece too high, and never too low', () => {
    const text = PROSE.repeat(100);
    const exact = encode(text).length;
    expect(count(text)).toBeGreaterThanOrEqual(exact);
    expect(count(text)).toBeLessThanOrEqual(exact + text.length / 256 + 1);
  });

  test('takes what looks like a special token for text', () => {
    expect(count('<|endoftext|>')).toBeGreaterThan(1);
  });

  test('of a long text is taken from pieces all over it', () => {
    const text = `${PROSE.repeat(1000)}${'漢字かな交じり文'.repeat(10_000)}`;
    const exact = encode(PROSE.repeat(1000)).length + encode('漢字かな交じり文'.repeat(1000)).length * 10;
    expect(count(text) / exact).toBeGreaterThan(0.95);
    expect(count(text) / exact).toBeLessThan(1.05);
  });

  test('does the same work for a text of any length', () => {
    // Without a boundary the encoding is quadratic: the whole of it would take minutes.
    const dense = Array.from({ length: 2_000_000 }, (_, at) =>
      String.fromCodePoint(0x4e00 + ((at * 7919 + at * at) % 5000)),
    );
    const text = dense.join('');
    expect(count(text)).toBeGreaterThan(2_000_000);
    expect(costOf(() => count(text), 2000)).toBeLessThan(2000);
  });
});

test('an older model has the older encoding', () => {
  expect(createOpenaiCount('gpt-4')('日本語のテキスト')).not.toBe(createOpenaiCount('gpt-4o')('日本語のテキスト'));
});
