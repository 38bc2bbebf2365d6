import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CommentForm } from '../../config/extractors.ts';
import { signText } from './sign-text.ts';
import { createSigner } from './signer.ts';
import { type KeyLookup, verifySignature } from './verify-signature.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const signer = createSigner(privateKey);
const keys: KeyLookup = (fingerprint) => (fingerprint === signer.fingerprint ? publicKey : undefined);
const order = { signer, atIso: '2026-11-22T10:11:12.345Z' };
const sign = (text: string, form: CommentForm): string => signText(text, form, order);
const trusted = { state: 'trusted', key: signer.fingerprint, signedAt: '2026-11-22T10:11:12Z' };

/** The signature shortened to `S`, and line ends shown. */
const shape = (text: string): string => text.replaceAll(/rye:signed:2026-11-22T10:11:12Z:[\w:=-]+/g, 'S');

describe('where the signature goes', () => {
  test.each<readonly [form: CommentForm, before: string, after: string]>([
    ['html', '', '<!-- S -->\n'],
    ['html', '# A\n', '<!-- S -->\n# A\n'],
    ['html', '# A', '<!-- S -->\n# A'],
    ['html', '# A\r\nb\r\n', '<!-- S -->\r\n# A\r\nb\r\n'],
    ['html', '\uFEFF# A\n', '\uFEFF<!-- S -->\n# A\n'],
    ['html', '---\na: b\n---\n# A\n', '---\na: b\n---\n<!-- S -->\n# A\n'],
    ['html', '\uFEFF---\r\na: b\r\n--- \r\n# A', '\uFEFF---\r\na: b\r\n--- \r\n<!-- S -->\r\n# A'],
    ['html', '---\na: b\n---', '---\na: b\n---\n<!-- S -->\n'],
    ['html', '---\na: |\n  ```\n---\n# A\n', '---\na: |\n  ```\n---\n<!-- S -->\n# A\n'],
    ['html', '--- # note\na: b\n---\n# A\n', '--- # note\na: b\n---\n<!-- S -->\n# A\n'],
    ['html', '--- # note\r\na: |\r\n  ```\r\n---\r\n', '--- # note\r\na: |\r\n  ```\r\n---\r\n<!-- S -->\r\n'],
    ['html', '\n---\na: b\n---\n# A\n', '\n---\na: b\n---\n<!-- S -->\n# A\n'],
    ['html', '---\na: "\u2028---\u2028"\n---\n# A\n', '---\na: "\u2028---\u2028"\n---\n<!-- S -->\n# A\n'],
    ['html', '--- a\n---\n# A\n', '<!-- S -->\n--- a\n---\n# A\n'],
    ['html', '---\nno front matter\n', '<!-- S -->\n---\nno front matter\n'],
    ['html', '```yaml\na: b\n```\n', '<!-- S -->\n```yaml\na: b\n```\n'],
    ['#', 'x = 1\n', '# S\nx = 1\n'],
    ['#', '#!/usr/bin/env python3\nx = 1\n', '#!/usr/bin/env python3\n# S\nx = 1\n'],
    ['#', '#!/bin/sh', '#!/bin/sh\n# S\n'],
    ['#', '# -*- coding: latin-1 -*-\nx = 1\n', '# -*- coding: latin-1 -*-\n# S\nx = 1\n'],
    [
      '#',
      '#!/bin/python\n# vim: set fileencoding=utf-8 :\nx = 1\n',
      '#!/bin/python\n# vim: set fileencoding=utf-8 :\n# S\nx = 1\n',
    ],
    ['#', '\n# coding=utf-8', '\n# coding=utf-8\n# S\n'],
    ['#', '\uFEFF#!/bin/sh\r\ntrue\r\n', '\uFEFF#!/bin/sh\r\n# S\r\ntrue\r\n'],
    ['#', 'coding = "x"\n', '# S\ncoding = "x"\n'],
    ['#', ' # about\n# coding: utf-8\nx = 1\n', ' # about\n# coding: utf-8\n# S\nx = 1\n'],
    ['#', 'description: |\n  # encoding: utf-8\n', '# S\ndescription: |\n  # encoding: utf-8\n'],
    ['//', 'export {};\n', '// S\nexport {};\n'],
    ['//', 'const a = `\n# coding: x`;\n', '// S\nconst a = `\n# coding: x`;\n'],
    ['//', '#!/usr/bin/env node\nexport {};\n', '#!/usr/bin/env node\n// S\nexport {};\n'],
    ['json', '{}', '{"_signature":"S"}'],
    ['json', '{ }\n', '{"_signature":"S" }\n'],
    ['json', '{"a":1}', '{"_signature":"S","a":1}'],
    ['json', '{\r\n  "a": 1\r\n}\r\n', '{\r\n  "_signature": "S",\r\n  "a": 1\r\n}\r\n'],
    ['json', '\uFEFF{ "a": 1.0 }', '\uFEFF{ "_signature": "S", "a": 1.0 }'],
  ])('%s: %j becomes %j', (form, before, after) => {
    const signed = sign(before, form);
    expect(shape(signed)).toBe(after);
    expect(verifySignature(signed, form, keys)).toEqual(trusted);
    expect(sign(signed, form)).toBe(signed);
  });
});

describe('signing again', () => {
  test.each<readonly [form: CommentForm, before: string, after: string]>([
    ['html', '<!-- rye:signed:t:h:s:k -->\n<!-- rye:unsigned -->\n# A\n', '<!-- S -->\n# A\n'],
    ['html', '# A\n<!-- rye:signed:t -->\n  <!--rye:unsigned-->\nb', '<!-- S -->\n# A\nb'],
    ['html', '```\n<!-- rye:signed:t -->\n```\n', '<!-- S -->\n```\n<!-- rye:signed:t -->\n```\n'],
    [
      'html',
      '--- # note\na: |\n  ```\n---\n# A\n<!-- rye:signed:t -->\n',
      '--- # note\na: |\n  ```\n---\n<!-- S -->\n# A\n',
    ],
    ['html', 'About <!-- rye:unsigned --> lines\n', '<!-- S -->\nAbout <!-- rye:unsigned --> lines\n'],
    ['#', '#!/bin/sh\ntrue\n#rye:signed:t\n# rye:unsigned\n', '#!/bin/sh\n# S\ntrue\n'],
    ['#', '# rye:unsigned_things = 1\n', '# S\n# rye:unsigned_things = 1\n'],
    ['//', '// rye:signed:t\r\nexport {};\r\n', '// S\r\nexport {};\r\n'],
    ['json', '{"a": 1, "_signature" :  "rye:unsigned" , "b": 2}', '{"a": 1, "_signature" :  "S" , "b": 2}'],
    ['json', '{"_\\u0073ignature": {"old": [1, {}]}}', '{"_\\u0073ignature": "S"}'],
  ])('%s: %j becomes %j', (form, before, after) => {
    const signed = sign(before, form);
    expect(shape(signed)).toBe(after);
    expect(verifySignature(signed, form, keys)).toEqual(trusted);
  });

  test('with another key and time replaces the first signature', () => {
    const other = createSigner(generateKeyPairSync('ed25519').privateKey);
    const signed = signText(sign('# A\n', 'html'), 'html', { signer: other, atIso: '2027-01-01T00:00:00Z' });
    expect(verifySignature(signed, 'html', keys)).toEqual({
      state: 'unknown_key',
      key: other.fingerprint,
      signedAt: '2027-01-01T00:00:00Z',
    });
  });
});

describe('what can not be signed', () => {
  const mark = sign('', '#').slice(2).trim();
  test.each<readonly [form: CommentForm, text: string, reason: string]>([
    ['html', '<!-- rye:signed:t\n-->\n', 'no comment line of its own'],
    ['html', '<!-- rye:signed:t --> text\n', 'no comment line of its own'],
    ['html', `Text <!-- ${mark} -->\n`, 'no comment line of its own'],
    ['#', `x = 1 # ${mark}\n`, 'no comment line of its own'],
    ['html', '\uDC00', 'surrogate pair'],
    ['json', '[]', 'no JSON object'],
    ['json', '{"a":1,"a":2}', 'a key stands twice'],
    ['json', '{"a":1', 'not JSON'],
    ['json', '{"__proto__":1}', '__proto__'],
    ['json', '{"a":"\\uD800"}', 'no canonical form'],
  ])('%s: %j, since %s', (form, text, reason) => {
    const refused = { code: 'invalid_item', message: expect.stringContaining(reason) };
    expect(() => sign(text, form)).toThrow(expect.objectContaining(refused));
  });

  test('is refused with the line', () => {
    const where = { line: 3 };
    expect(() => sign('<!-- rye:unsigned -->\n\n<!-- rye:signed:t\n', 'html')).toThrow(
      expect.objectContaining({ where }),
    );
  });

  test('at no point in time', () => {
    const refused = expect.objectContaining({ code: 'invalid_argument' });
    expect(() => signText('', 'html', { signer, atIso: 'yesterday' })).toThrow(refused);
  });
});

test('a signature can be checked with nothing but its words', () => {
  const [first, ...rest] = sign('# A\nb\n', 'html').split('\n');
  const parts = /^<!-- rye:signed:(.{20}):(.{64}):(.{86})==:(.{16}) -->$/.exec(first ?? '');
  expect(parts?.[2]).toBe(createHash('sha256').update(rest.join('\n')).digest('hex'));
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const fingerprint = createHash('sha256').update(Buffer.from(x, 'base64url')).digest('hex').slice(0, 16);
  expect(parts?.[4]).toBe(fingerprint);
  expect(verify(null, Buffer.from(parts?.[2] ?? ''), publicKey, Buffer.from(parts?.[3] ?? '', 'base64url'))).toBe(true);
});

const PIECES = [
  [
    '# Title',
    'text',
    '```',
    '~~~',
    '```xml',
    '<directive/>',
    '---',
    'a: b',
    '<!-- note -->',
    '<!-- rye:unsigned -->',
    '<!-- rye:signed:t -->',
    '  ',
    'ä€😀',
    'b\uFEFF',
  ],
  ['#!/bin/sh', '# coding: utf-8', 'x = 1', '"""', '# rye:unsigned', '#rye:signed:t', 'ä😀', '\t', '%YAML 1.2', '---'],
  ['#!/usr/bin/env node', "'use strict';", '// rye:signed:t', '`', '/*', '*/', 'const a = 1;', 'b\uFEFF'],
];
const FORMS = ['html', '#', '//'] as const;

/** A form and a text of lines that matter to it. */
const document = fc.nat({ max: FORMS.length - 1 }).chain((index) =>
  fc.record({
    form: fc.constant<CommentForm>(FORMS[index] ?? 'html'),
    text: fc
      .tuple(
        fc.constantFrom('', '\uFEFF'),
        fc.array(fc.tuple(fc.constantFrom(...(PIECES[index] ?? [])), fc.constantFrom('\n', '\n', '\r\n'))),
        fc.constantFrom('', 'end'),
      )
      .map(([start, lines, end]) => start + lines.flat().join('') + end),
  }),
);

const jsonText = fc
  .tuple(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), fc.constantFrom(undefined, 1, '\t'))
  .filter(([value]) => !JSON.stringify(value).includes('"__proto__"'))
  .map(([value, space]) => ({ form: 'json' as const, text: JSON.stringify(value, null, space) }));

const anything = fc.oneof(document, jsonText);

describe('for any text', () => {
  test('what is signed is trusted, and signing it again gives the same', () => {
    fc.assert(
      fc.property(anything, ({ form, text }) => {
        const signed = sign(text, form);
        expect(verifySignature(signed, form, keys)).toEqual(trusted);
        expect(verifySignature(signed, form, () => undefined).state).toBe('unknown_key');
        expect(sign(signed, form)).toBe(signed);
      }),
    );
  });

  test('what is covered stays as it is', () => {
    fc.assert(
      fc.property(document, ({ form, text }) => {
        const signed = sign(text, form);
        expect(signed.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'));
        const lines = (of: string): string[] =>
          of
            .replace(/^\uFEFF/, '')
            .split(/(?<=\n)/)
            .filter((line) => !/rye:(?:un)?signed/.test(line));
        // A first line that must stay the first may have got a line end.
        expect(lines(signed).join('').trimEnd()).toBe(lines(text).join('').trimEnd());
      }),
    );
  });

  test('what is covered of a JSON object stays as it is', () => {
    fc.assert(
      fc.property(jsonText, ({ form, text }) => {
        const { _signature, ...rest } = JSON.parse(sign(text, form)) as Record<string, unknown>;
        expect(rest).toEqual(JSON.parse(text));
      }),
    );
  });

  test('any change of a byte outside the signature line is noticed', () => {
    fc.assert(
      fc.property(document, fc.nat(), fc.integer({ min: 1, max: 255 }), ({ form, text }, at, bits) => {
        const signed = sign(text, form);
        const bytes = Buffer.from(signed);
        const start = bytes.indexOf('rye:signed:2026-11-22');
        const lineStart = bytes.lastIndexOf('\n', start) + 1;
        const lineEnd = bytes.indexOf('\n', start) + 1;
        const outside = [...bytes.keys()].filter((index) => index < lineStart || index >= lineEnd);
        const index = outside[at % outside.length];
        if (index === undefined) return;
        bytes[index] = (bytes[index] ?? 0) ^ bits;
        // What is no UTF-8 any more is refused when it is read.
        const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
        const { state } = verifySignature(decoder.decode(bytes), form, keys);
        // Front matter that is none any more may open a code block over the signature: as if it had been removed.
        const hidden = /^\uFEFF?\s*---[^]*(?:```|~~~)[^]*---[^]*rye:signed:2026/.test(signed);
        expect(state).toBe(hidden && state === 'unsigned' ? 'unsigned' : 'wrong');
      }),
      { numRuns: 2000 },
    );
  });

  test('any change of a JSON value is noticed', () => {
    const pair = fc.tuple(jsonText, jsonText).filter(([one, other]) => one.text !== other.text);
    fc.assert(
      fc.property(pair, ([one, other]) => {
        const from = JSON.parse(one.text) as object;
        const to = JSON.parse(other.text) as object;
        const { _signature } = JSON.parse(sign(one.text, 'json')) as Record<string, unknown>;
        const { state } = verifySignature(JSON.stringify({ _signature, ...to }), 'json', keys);
        const same = sortedText(from) === sortedText(to);
        expect(state).toBe(same ? 'trusted' : 'wrong');
      }),
    );
  });
});

/** Every path of a value with what stands there, in an order that does not depend on that of the keys. */
function sortedText(value: unknown): string {
  const paths = (at: unknown, path: string): string[] =>
    typeof at === 'object' && at !== null
      ? [
          `${path}${Array.isArray(at) ? '[]' : '{}'}`,
          ...Object.entries(at).flatMap(([key, inner]) => paths(inner, `${path}/${JSON.stringify(key)}`)),
        ]
      : [`${path}=${JSON.stringify(at)}`];
  return paths(value, '').toSorted().join('\n');
}
