import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SkeinError } from '../core/errors.ts';
import { parseDirective } from './directive-parser.ts';
import { fillInputRefs } from './inputs.ts';
import { parseKnowledge } from './knowledge.ts';
import { readToolContract } from './tool-contract.ts';

const KIB = 1024;
const fill = (piece: string, bytes: number): string => piece.repeat(Math.floor(bytes / piece.length));
const directive = (xml: string, body = ''): string =>
  `\`\`\`xml\n<directive name="n">${xml}</directive>\n\`\`\`\n${body}`;

const parse = (source: string): unknown => parseDirective(source, { id: 'x', file: 'x.md' });
const knowledge = (source: string): unknown => parseKnowledge(source, { id: 'x', file: 'x.md', space: 'project' });
const tool =
  (extension: string) =>
  (source: string): unknown =>
    readToolContract(source, { id: 'x', file: `x${extension}`, space: 'project', extension });

/** Processor milliseconds of this process, so that a busy machine does not count; measured again when too many. */
const costOf = (run: () => unknown, budget = 200): number => {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3 && best >= budget; attempt++) {
    const before = process.cpuUsage();
    foreignError(run);
    best = Math.min(best, process.cpuUsage(before).user / 1000);
  }
  return best;
};

/** What a reading threw, if it was anything but a SkeinError. */
const foreignError = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    if (!(error instanceof SkeinError)) return error;
  }
  return undefined;
};

const XML = 250 * KIB;
const BODY = 1000 * KIB;
const PIECES = [
  '<b/>¦<a>¦<¦>¦&lt;¦&¦<!--¦-->¦<![CDATA[¦]]>¦<?¦="¦=\'¦ ¦\n¦\t¦"¦\'¦[¦{¦(¦}¦\\¦#¦x¦${¦1e9¦`¦```\n¦~~~\n¦````\n¦```xml\n',
  '<execute a="¦<execute a=\'¦<execute ¦<execute/>¦</execute>¦<param name="x">¦</param>¦<load a="1">¦<metadata>',
  '<a b="1" c="2"/>¦{input:¦{input:a¦- a\n¦---\n¦<!-- rye:signed:¦# rye:signed\n¦CONFIG_SCHEMA = ¦"""¦a: &a [*a]\n',
].flatMap((line) => line.split('¦'));

describe('hostile text', () => {
  test.each(PIECES)('%j over and over costs under 200 ms in the XML of a directive', (piece) => {
    expect(costOf(() => parse(directive(fill(piece, XML))))).toBeLessThan(200);
  });

  test.each(PIECES)('%j over and over costs under 200 ms in the body of a directive', (piece) => {
    expect(costOf(() => parse(directive('', fill(piece, BODY))))).toBeLessThan(200);
  });

  test.each(['<load a="1">', '```\n', '<!-- rye:signed', '\n', '`', '# \n'])(
    '%j over and over costs under 200 ms before the fence',
    (piece) => {
      expect(costOf(() => parse(`${fill(piece, BODY)}\n${directive('')}`))).toBeLessThan(200);
    },
  );

  test.each(PIECES)('%j over and over costs under 200 ms in front matter', (piece) => {
    expect(costOf(() => knowledge(`---\na: ${fill(piece, 8 * KIB - 10)}\n---\n`))).toBeLessThan(200);
  });

  test.each(['{input:', '{input:a', '{', '}', '{env:a:', '{input:a|'])(
    '%j over and over costs under 200 ms among input references',
    (piece) => {
      expect(costOf(() => fillInputRefs(fill(piece, BODY), { a: '1' }))).toBeLessThan(200);
    },
  );

  test.each(['[', '{', '(', '"""', "'", '"', '\\', '#', '[1,', '("a"', '"a" ', '1', 'a', '# {\n', '{"a":'])(
    '%j over and over costs under 400 ms in the schema of a tool',
    (piece) => {
      const text = fill(piece, BODY);
      expect(costOf(() => tool('.py')(`CONFIG_SCHEMA = {"a": ${text}`), 400)).toBeLessThan(400);
      expect(costOf(() => tool('.sh')(`# CONFIG_SCHEMA: {\n${text}`), 400)).toBeLessThan(400);
      expect(costOf(() => tool('.js')(`export const CONFIG_SCHEMA = ${text.slice(0, XML)}`), 400)).toBeLessThan(400);
    },
  );

  const soup = fc.array(
    fc.oneof(fc.constantFrom(...PIECES, 'name="n"', '</directive>', '<directive', '<inputs>'), fc.string()),
    {
      maxLength: 60,
    },
  );
  const text = soup.map((pieces) => pieces.join(''));

  test.each([
    ['a directive', parse],
    ['the XML of a directive', (source: string) => parse(directive(source))],
    ['the metadata of a directive', (source: string) => parse(directive(`<metadata>${source}</metadata>`))],
    ['a body', (source: string) => parse(directive('', source))],
    ['knowledge', knowledge],
    ['front matter', (source: string) => knowledge(`---\n${source}\n---\n`)],
    ['a Python tool', tool('.py')],
    ['a Python schema', (source: string) => tool('.py')(`CONFIG_SCHEMA = {${source}`)],
    ['a JavaScript tool', tool('.js')],
    ['a shell tool', (source: string) => tool('.sh')(`# CONFIG_SCHEMA: {${source}`)],
  ])('%s is read or refused with a SkeinError, whatever it says', (_, run) => {
    fc.assert(
      fc.property(text, (source) => {
        expect(foreignError(() => run(source))).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  test('well-formed XML of any sections is read or refused with a SkeinError', () => {
    const names = fc.constantFrom(
      ...'metadata permissions execute tool cap limits turns model context before hooks hook condition any not all'.split(
        ' ',
      ),
      ...'action actions param inputs input outputs output load set_extends extends description toString'.split(' '),
    );
    const attributes = fc.dictionary(
      fc.constantFrom(...'name id event type required default value path turns primary params'.split(' ')),
      fc.constantFrom('', 'x', '1', 'true', '../x', '__proto__', '{&quot;a&quot;:1}', 'integer'),
    );
    const { element } = fc.letrec<{ element: string }>((tie) => ({
      element: fc
        .tuple(
          names,
          attributes,
          fc.oneof(
            { maxDepth: 5 },
            fc.constantFrom('', '*', 'a/b', '{}', '5'),
            fc.array(tie('element'), { maxLength: 4 }).map((all) => all.join('')),
          ),
        )
        .map(
          ([name, attrs, inside]) =>
            `<${name}${Object.entries(attrs)
              .map(([k, v]) => ` ${k}="${v}"`)
              .join('')}>${inside}</${name}>`,
        ),
    }));
    fc.assert(
      fc.property(fc.array(element, { maxLength: 5 }), (elements) => {
        expect(foreignError(() => parse(directive(elements.join(''))))).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });
});
