import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanPreamble, dropSignatureLines } from './prose.ts';
import { findSignatureLines } from './signature/signature-lines.ts';

const mark = (nr = 0): string =>
  `rye:signed:2026-01-01T00:00:00Z:${String(nr).padStart(64, '0')}:${'A'.repeat(86)}:0123456789abcdef`;

describe('A preamble', () => {
  test.each([
    ['loses signature lines, and first-level headings', `<!-- ${mark()} -->\n  # T\nText\n`, 'Text\n'],
    [
      'loses signature lines in each spelling that is verified',
      `<!--${mark()}-->\n\t<!--rye:unsigned-->\r\nText`,
      'Text',
    ],
    ['keeps smaller headings', '# T\n## Kept\n#kept', '## Kept\n#kept'],
    ['keeps comments in code blocks', '# T\n```sh\n# never twice\nmake\n```\n', '```sh\n# never twice\nmake\n```\n'],
    ['keeps what a line says beside a mark', '<!-- rye:unsigned --> x', '<!-- rye:unsigned --> x'],
    [
      'has no code blocks in front matter, for who looks for signature lines',
      `---\n~~~\n---\n<!-- ${mark()} -->\n~~~\n# a\n`,
      '---\n~~~\n---\n~~~\n',
    ],
  ])('%s: %j', (_name, text, cleaned) => {
    expect(cleanPreamble(text)).toBe(cleaned);
  });
});

describe('A signature line', () => {
  const signature = fc.constantFrom(
    '<!-- M -->',
    '<!--M-->',
    ' \t<!--\tM -->\t',
    '<!-- M -->\r',
    '> <!-- M -->',
    '<!-- M',
    'M',
  );
  const line = fc.oneof(
    signature,
    fc.constantFrom('```', '~~~~', '  ```', '---', '--- # x', 'Text', '', 'a: |'),
    signature,
  );

  test('is one that is verified and left out, or neither', () => {
    let taken = 0;
    fc.assert(
      fc.property(fc.boolean(), fc.array(line, { maxLength: 12 }), (hasFrontMatter, lines) => {
        const written = [...(hasFrontMatter ? ['---'] : []), ...lines].map((each, at) => each.replace('M', mark(at)));
        const text = written.join('\n');
        const verified = findSignatureLines(text, 'html', Number.MAX_SAFE_INTEGER).filter(
          (each) => each.mark !== undefined,
        );
        const starts = new Set(verified.map(({ start }) => start));
        taken += starts.size;
        let at = 0;
        const rest = text.split(/(?<=\n)/).filter((each) => {
          at += each.length;
          return !starts.has(at - each.length);
        });
        expect(dropSignatureLines(text)).toBe(rest.join(''));
      }),
      { numRuns: 2_000 },
    );
    expect(taken).toBeGreaterThan(100);
  });

  test('is the same one in a part of a file', () => {
    const above = '---\n~~~\n---\n~~~\n';
    const text = `${above}# T\n~~~\n<!-- ${mark()} -->\nText`;
    expect(findSignatureLines(text, 'html', 2)).toHaveLength(1);
    expect(dropSignatureLines(text, above.length)).toBe('# T\n~~~\nText');
  });
});
