import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { costOf, foreignError } from '../../test/fixtures/cost-of.ts';
import { parseText } from './fixtures/parse-text.ts';
import { fillInputRefs } from './input-refs.ts';

const KIB = 1024;
const fill = (piece: string, bytes: number): string => piece.repeat(Math.floor(bytes / piece.length));
const directive = (xml: string, body = ''): string =>
  `\`\`\`xml\n<directive name="n">${xml}</directive>\n\`\`\`\n${body}`;

const parse = (source: string): unknown => parseText('directive', source, { id: 'x' });
const knowledge = (source: string): unknown => parseText('knowledge', source, { id: 'x' });

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
    expect(costOf(() => knowledge(`---\na: ${fill(piece, XML)}\n---\n`))).toBeLessThan(200);
    expect(costOf(() => knowledge(`---\n${fill(piece, 29_000)}\n---\n`))).toBeLessThan(200);
    expect(costOf(() => knowledge(`\`\`\`yaml\nname: ${fill(piece, XML)}`))).toBeLessThan(200);
  });

  test.each(['{input:', '{input:a', '{', '}', '{env:a:', '{input:a|'])(
    '%j over and over costs under 200 ms among input references',
    (piece) => {
      expect(costOf(() => fillInputRefs(fill(piece, BODY), { a: '1' }))).toBeLessThan(200);
    },
  );

  test.each<readonly [string, (index: number) => string]>([
    ['inputs', (index) => `<inputs><input name="i${index}" type="integer" default="1">x</input></inputs>`],
    ['outputs', (index) => `<outputs><o${index}>a</o${index}></outputs>`],
    ['limits', (index) => `<limits><l${index}>1</l${index}></limits>`],
    ['permissions', (index) => `<permissions><cap>rye.a${index}</cap></permissions>`],
    ['context', (index) => `<context><before>a${index}</before></context>`],
    ['hooks', (index) => `<hooks><hook event="error" id="h${index}"><load item_id="a"/></hook></hooks>`],
    ['metadata', (index) => `<metadata><m${index} a="1">x</m${index}></metadata>`],
  ])('as many %s as there may be cost under 200 ms', (_, write) => {
    for (const count of [1500, 4000]) {
      const xml = Array.from({ length: count }, (__, index) => write(index)).join('');
      expect(costOf(() => parse(directive(xml.slice(0, XML))))).toBeLessThan(200);
      expect(costOf(() => parse(directive(xml)))).toBeLessThan(200);
    }
  });

  test('as many elements of different names as there may be cost under 200 ms', () => {
    const elements = Array.from({ length: 9900 }, (_, index) => `<a${index}/>`).join('');
    for (const xml of [elements, `<more>${elements}</more>`]) {
      expect(costOf(() => parse(directive(`<metadata>${xml}</metadata>`)))).toBeLessThan(200);
    }
  });

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
