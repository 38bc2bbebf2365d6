import { createPublicKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { costOf } from '../../../test/fixtures/cost-of.ts';
import type { CommentForm } from '../../config/extractors.ts';
import { type KeyLookup, verifySignature } from './verify-signature.ts';

/*
 * The signatures below were made with OpenSSL (`pkeyutl -sign -rawin` over the digits of `sha256sum`) and Python's json
 * module (sorted keys, no spaces), with the first key of RFC 8032's test vectors.
 */
const KEY = '21fe31dfa154a261';
const PEM =
  '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n';
const AT = '2026-02-24T04:54:45Z';
const known: KeyLookup = (fingerprint) => (fingerprint === KEY ? createPublicKey(PEM) : undefined);
const unknown: KeyLookup = () => undefined;

const MD = '# Greet\n\nSay hello.\n';
const MD_HASH = '643d8bbf18dc5b9881fc52a2c156c97082efdcbd86296599cadc759998b62ba8';
const MD_SIGNATURE = 'Q3CvZt3Y41xbj4BaQj29Levs-WG_4xVSeqtM_g80DCC190O9IEnWIIg5_-TshUAbTq8EE_QLpuHrSbwsCFUACw';
const MD_MARK = `rye:signed:${AT}:${MD_HASH}:${MD_SIGNATURE}==:${KEY}`;
const MD_LINE = `<!-- ${MD_MARK} -->\n`;
const PY_MARK = `rye:signed:${AT}:3e31b434703510f6a54e3cc57a73a3e71b1e1f328b95bf555da9fce33049fc25:gtd546opovZM4kMQqBYof_owOVyG26YqVgA6TLVZ0ukri66Zp6VD_v7po_0SskNxldFkatBGgOeRCecHJ9iVDA==:${KEY}`;
const JS_MARK = `rye:signed:${AT}:0659806349b6ca66f5f16b13c64192a0f9a3d3aca6bc2bee02f3f179b8932776:82iOPqjM33xTz-8q6eUh7sG3Heb6uz6xMXEEa_-fHW0EXkSGnC8YdDeeKeqamrZQiT2jgQ6e3V-tuRwpeyeQBg==:${KEY}`;
const JSON_MARK = `rye:signed:${AT}:6474bf7912abec5143f3e36d93664d98df583aa449cd943843295e268547e263:CUm3b85fhYIUto9nhUPTIHhIsI62ybejHR6pp1Kr99dQvr9iRElOOC1kqf-81fKbvZxnkO9-Rm2T9aNeZ3nVCA==:${KEY}`;

type Row = readonly [what: string, form: CommentForm, text: string];

const SIGNED: readonly Row[] = [
  ['Markdown', 'html', MD_LINE + MD],
  ['Markdown, signed at the end', 'html', MD + MD_LINE],
  ['Markdown, signed at the end without a line end', 'html', MD + MD_LINE.trim()],
  ['Markdown, signed between the lines', 'html', `# Greet\n${MD_LINE}\nSay hello.\n`],
  ['a signature with white space around it', 'html', ` \t<!--\t${MD_MARK}-->  \r\n${MD}`],
  ['a signature without padding', 'html', `<!-- ${MD_MARK.replace('==', '')} -->\n${MD}`],
  ['Python', '#', `#!/usr/bin/env python3\n# ${PY_MARK}\n__version__ = "1.0.0"\n`],
  ['Python, without a space', '#', `#${PY_MARK}\n#!/usr/bin/env python3\n__version__ = "1.0.0"\n`],
  ['JavaScript with CRLF', '//', `// ${JS_MARK}\r\nexport const x = "ä";\r\n`],
  ['JSON', 'json', `{"_signature":"${JSON_MARK}","b":[1,2.5,"ä"],"a":{"z":true,"y":null}}`],
  [
    'JSON written differently',
    'json',
    `\uFEFF { "a": {"y": null, "z": true},\n "b": [1.0, 25e-1, "\\u00e4"], "_signature" : "${JSON_MARK}" }\n`,
  ],
];

describe('a signature made by other programs', () => {
  test.each(SIGNED)('is trusted with its key: %s', (_, form, text) => {
    expect(verifySignature(text, form, known)).toEqual({ state: 'trusted', key: KEY, signedAt: AT });
  });

  test.each(SIGNED)('is of an unknown key without it: %s', (_, form, text) => {
    expect(verifySignature(text, form, unknown)).toEqual({ state: 'unknown_key', key: KEY, signedAt: AT });
  });
});

test.each<Row>([
  ['nothing', 'html', ''],
  ['text', 'html', MD],
  ['a line that says so', 'html', `<!-- rye:unsigned -->\n${MD}`],
  ['a signature in a code block', 'html', `\`\`\`\n${MD_LINE}\`\`\`\n${MD}`],
  ['a signature in a longer code block', 'html', `\`\`\`\`md\n\`\`\`\n${MD_LINE}\`\`\`\n\`\`\`\`\n${MD}`],
  ['a signature in a code block that is never closed', 'html', `${MD}~~~\n${MD_LINE}`],
  ['a code block after a byte order mark', 'html', `\uFEFF\`\`\`\n${MD_LINE}\`\`\`\n${MD}`],
  ['a signature that prose is about', 'html', `Lines such as ${MD_LINE.trim()} are signatures.\n`],
  ['an example in prose', 'html', 'Lines such as <!-- rye:signed:t -->\n'],
  ['a comment of another language', 'html', `# ${MD_MARK}\n`],
  ['a text of the program', '#', 'line = "# rye:signed:t"\n'],
  ['a JSON object', 'json', '{"a": 1}'],
  ['a JSON object that says so', 'json', '{"_signature": "rye:unsigned"}'],
  ['a signature deeper down', 'json', `{"a": {"_signature": "${JSON_MARK}"}}`],
  ['JSON that is none', 'json', '{"a": '],
])('what has no signature is unsigned: %s (%s)', (_, form, text) => {
  expect(verifySignature(text, form, known)).toEqual({ state: 'unsigned' });
});

const CHANGED = 'the content was changed after it was signed';
const MALFORMED = 'the signature line is not well formed';
const SEVERAL = 'there is more than one signature line';
const NOT_ALONE = 'the signature does not stand in a comment line of its own';
const JSON_MALFORMED = '"_signature" is not a well-formed signature';

test.each<readonly [reason: string, line: number | undefined, form: CommentForm, text: string]>([
  [CHANGED, 1, 'html', `${MD_LINE}${MD} `],
  [CHANGED, 1, 'html', MD_LINE + MD.trim()],
  [CHANGED, 1, 'html', MD_LINE + MD.replace('hello', 'Hello')],
  [CHANGED, 1, 'html', MD_LINE + MD.replaceAll('\n', '\r\n')],
  [CHANGED, 1, 'html', `\uFEFF${MD_LINE}${MD}`],
  [CHANGED, 2, 'html', `\n${MD_LINE}${MD}`],
  [CHANGED, 2, 'html', `<!-- rye:unsigned -->\n${MD_LINE}${MD}`],
  [CHANGED, 1, 'json', `{"_signature":"${JSON_MARK}","b":[1,2.5,"ä"],"a":{"z":true}}`],
  [`the key ${KEY} did not make this signature`, 1, 'html', MD_LINE.replace(':Q3C', ':Q3D') + MD],
  [SEVERAL, 2, 'html', MD_LINE + MD_LINE + MD],
  [SEVERAL, 5, 'html', `${MD_LINE}${MD}<!-- rye:signed:old -->\n`],
  [SEVERAL, 3, '#', `# ${PY_MARK}\n\n\t#rye:signed:\n`],
  [NOT_ALONE, 1, 'html', `Text ${MD_LINE}${MD}`],
  [NOT_ALONE, 1, '#', `x = 1  # ${PY_MARK}\n`],
  [NOT_ALONE, 1, '//', `# ${JS_MARK}\n`],
  [MALFORMED, 1, 'html', `<!-- rye:signed:t:h:s:k -->\n${MD}`],
  [MALFORMED, 1, 'html', `${MD_LINE.trim()} and more\n${MD}`],
  [MALFORMED, 1, 'html', `<!-- ${MD_MARK}\n-->\n${MD}`],
  [MALFORMED, 1, 'html', `<!-- ${MD_MARK.replace('-24T', '-34T')} -->\n${MD}`],
  [MALFORMED, 1, 'html', `<!-- ${MD_MARK.replace('Z:', ':')} -->\n${MD}`],
  [MALFORMED, 1, 'html', `<!-- ${MD_MARK.toUpperCase().replace('RYE:SIGNED', 'rye:signed')} -->\n${MD}`],
  // The last character of a signature has four bits that mean nothing.
  [MALFORMED, 1, 'html', `<!-- ${MD_MARK.replace('Cw==', 'Cx==')} -->\n${MD}`],
  [MALFORMED, 1, '#', `# ${PY_MARK} \\\n__version__ = "1.0.0"\n`],
  ['the text has half of a surrogate pair', undefined, 'html', `${MD_LINE}\uD800`],
  [JSON_MALFORMED, 2, 'json', '{"a": 1,\n "_signature": "rye:signed:t"}'],
  [JSON_MALFORMED, 1, 'json', '{"_signature": null}'],
  [JSON_MALFORMED, 1, 'json', '{"\\u005fsignature": 1}'],
  ['a key stands twice in one object', undefined, 'json', `{"_signature":"${JSON_MARK}","_signature":"x"}`],
  ['a key stands twice in one object', undefined, 'json', `{"_signature":"${JSON_MARK}","b":[{"a":1,"\\u0061":2}]}`],
  ['a number or text in it has no canonical form', undefined, 'json', `{"_signature":"${JSON_MARK}","b":1e999}`],
  ['a number or text in it has no canonical form', undefined, 'json', `{"_signature":"${JSON_MARK}","b":"\\ud800"}`],
  ['it is no JSON object', undefined, 'json', `["_signature"]`],
])('wrong, since %s (line %s, %s) %#', (reason, line, form, text) => {
  const state = verifySignature(text, form, known);
  expect(state).toEqual({ state: 'wrong', reason, line });
});

test.each<readonly [form: CommentForm, opening: string]>([
  ['html', '<!-- '],
  ['#', '# '],
  ['#', 'x = 1 # '],
  ['//', '// '],
])('blanks between a signature and something else cost under 200 ms (%s, after %j)', (form, opening) => {
  const text = `${opening}${MD_MARK}${' \t'.repeat(20_000)}x\n`;
  expect(costOf(() => verifySignature(text, form, known))).toBeLessThan(200);
});

const MIB = 1024 * 1024;
test.each([
  'rye:signed:',
  '<!-- rye:signed:\n',
  '<!--',
  '<!-- ',
  `${MD_MARK} `,
  '```\n<!-- rye:signed:\n```\n',
  '```\nrye:signed:\n',
  '# rye:signed: ',
  '---\n',
  '--- ',
  ' \t',
  'rye:',
  '_signature',
  '{"_signature":',
  '{"a":1,"_signature":"x"},',
  '"\\',
])('%j over and over costs under 200 ms in every form', (piece) => {
  const text = piece.repeat(Math.floor(MIB / piece.length));
  const texts = [text, `---\n${text}`, `{"_signature":${JSON.stringify(text)}}`, `[${text}0]`];
  for (const form of ['html', '#', '//', 'json'] as const) {
    for (const hostile of texts) {
      const work = (): unknown => verifySignature(hostile, form, known);
      expect(work).not.toThrow();
      expect(costOf(work)).toBeLessThan(200);
    }
  }
});
