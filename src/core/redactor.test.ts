import { describe, expect, test } from 'vitest';
import { costOf } from '../../test/fixtures/cost-of.ts';
import { createRedactor } from './redactor.ts';

const A_KEY = 'hunter2-hunter2';
const A_PASSWORD = 'p@ss/"word-1&<é>\'+2==';
const SHAPED: readonly (readonly [string, string])[] = [
  ['Anthropic', `sk-ant-api03-${'aB3_-'.repeat(18)}AA`],
  ['OpenAI', `sk-proj-${'x9Y_-'.repeat(20)}`],
  ['OpenAI, older', `sk-${'aB3dE6gH'.repeat(6)}`],
  ['DeepSeek', 'sk-0123456789abcdef0123456789abcdef'],
  ['Stripe', `sk_live_${'a1B2'.repeat(6)}`],
  ['Google', `AIza${'Sy0-_'.repeat(7)}`],
  ['GitHub', `ghp_${'aB3d'.repeat(9)}`],
  ['GitHub, fine-grained', `github_pat_${'11ABC_def0'.repeat(5)}`],
  ['GitLab', `glpat-${'aB3d_'.repeat(4)}`],
  ['AWS', 'AKIAIOSFODNN7EXAMPLE'],
  ['Slack', 'xoxb-123456789012-abcdefABCDEF'],
  ['Hugging Face', `hf_${'aBcDe'.repeat(7)}`],
  ['npm', `npm_${'a1B2'.repeat(9)}`],
  ['a web token', `eyJ${'hbGciOi'.repeat(3)}.eyJ${'zdWIiOi'.repeat(3)}.${'sIgn-_1'.repeat(5)}`],
  [
    'a private key',
    `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEpAIBAAKCAQEA+/=\n'.repeat(5)}-----END RSA PRIVATE KEY-----`,
  ],
  [
    'an encrypted private key',
    `-----BEGIN PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\nMIIE\n-----END PRIVATE KEY-----`,
  ],
];

const BLOCK = `-----BEGIN PRIVATE KEY-----\n${'MIIEpAIBA/AKCAQEA+/=\n'.repeat(5)}-----END PRIVATE KEY-----`;

/** JSON as writers make it that escape slashes, signs that mean something to HTML, and what is not ASCII. */
function escapeMore(data: unknown): string {
  const json = JSON.stringify(data).replaceAll('/', String.raw`\/`);
  return json.replaceAll(/[&'+<=>]|[^ -~]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase();
    return String.raw`\u${code.padStart(4, '0')}`;
  });
}

describe('A secret is taken out of', () => {
  const values = [['a known value', A_KEY] as const, ...SHAPED];

  test.each(values)('a text: %s', (_, secret) => {
    expect(createRedactor([A_KEY]).text(`the key: ${secret}, or so`)).toBe('the key: [redacted], or so');
  });

  test.each(values)('JSON in any depth, which stays JSON: %s', (_, secret) => {
    const redactor = createRedactor([A_KEY]);
    const around = (text: string): unknown => ({
      a: `x\n${text}\t"`,
      [text]: [`KEY=${text}`, `\u001B[31m${text}`, `KEY\0${text}`],
    });
    const inside = JSON.stringify(around(secret));
    const clean = (json: string): unknown => JSON.parse(redactor.text(json));
    expect(clean(inside)).toEqual(around('[redacted]'));
    expect(clean(JSON.stringify({ output: inside }))).toEqual({ output: JSON.stringify(around('[redacted]')) });
  });

  test('a header, whose scheme stays', () => {
    const clean = createRedactor().text('{"authorization":"Bearer abcdef0123456789","x":"bearer of good news"}');
    expect(clean).toBe('{"authorization":"Bearer [redacted]","x":"bearer of good news"}');
  });

  test('a text whose private key has lost its end', () => {
    const text = JSON.stringify({ cut: '-----BEGIN PRIVATE KEY-----\nMIIEvQ\nIBADAN', next: 'here' });
    expect(JSON.parse(createRedactor().text(text))).toEqual({ cut: '[redacted]', next: 'here' });
  });

  test('a text whose private key has lost its end, in JSON whose quotes are escaped as numbers', () => {
    const inside = JSON.stringify({ cut: '-----BEGIN PRIVATE KEY-----\nMIIEvQ', next: 'here' });
    const text = `{"a":"${inside.replaceAll('\\', String.raw`\u005C`).replaceAll('"', String.raw`\u0022`)}"}`;
    const { a } = JSON.parse(createRedactor().text(text)) as { readonly a: string };
    expect(JSON.parse(a)).toEqual({ cut: '[redacted]', next: 'here' });
  });

  test.each([
    ['a key behind a quote', `\u201C${SHAPED[0]?.[1]}`, '\u201C[redacted]'],
    ['a key behind a sign', `KEY=${SHAPED[5]?.[1]}`, 'KEY=[redacted]'],
    ['a key behind an escape in its text', String.raw`KEY\u003d${SHAPED[5]?.[1]}`, String.raw`KEY\u003d[redacted]`],
    ['a private key', `${BLOCK}.`, '[redacted].'],
    ['a token', 'Bearer abc+def/gh+ij/kl0123456789/mno+pq==.', 'Bearer [redacted].'],
    ['a token in a text', 'Bearer abc+def/0123456789+pq= .', 'Bearer [redacted] .'],
    ['a known value', `is ${A_PASSWORD}.`, 'is [redacted].'],
    ['a known value that begins with a sign', `is =${A_PASSWORD}.`, 'is [redacted].'],
    ['a known value behind backslashes', String.raw`is \=${A_PASSWORD}.`, 'is [redacted].'],
  ])('JSON that escapes more than it must, in any depth: %s', (_, text, clean) => {
    const redactor = createRedactor([A_PASSWORD, `=${A_PASSWORD}`]);
    const inside = escapeMore({ text, next: 'here' });
    expect(JSON.parse(redactor.text(inside))).toEqual({ text: clean, next: 'here' });
    const { output } = JSON.parse(redactor.text(JSON.stringify({ output: inside }))) as { readonly output: string };
    expect(JSON.parse(output)).toEqual({ text: clean, next: 'here' });
  });

  test.each([999, 12_000])('a text: a known value of %i signs', (count) => {
    const value = "'".repeat(count);
    expect(createRedactor([value]).text(JSON.stringify({ value }))).toBe('{"value":"[redacted]"}');
  });

  test('an address, where it is encoded', () => {
    expect(createRedactor(['p@ss/word+1']).text('https://h/?k=p%40ss%2Fword%2B1&a=b')).toBe(
      'https://h/?k=[redacted]&a=b',
    );
  });

  test('a value with quotes, in JSON in JSON', () => {
    const secret = String.raw`p"a\s$s^w(ord`;
    const json = JSON.stringify(JSON.stringify({ secret }));
    expect(createRedactor([secret]).text(json)).toBe(JSON.stringify(JSON.stringify({ secret: '[redacted]' })));
  });

  test('plain data, which is the same object if it has none', () => {
    const redactor = createRedactor([A_KEY]);
    const plain = { code: 'x', detail: { list: [1, 'two'] } };
    expect(redactor.data(plain)).toBe(plain);
    expect(redactor.data({ message: A_KEY, n: 1 })).toEqual({ message: '[redacted]', n: 1 });
    expect(redactor.data(undefined)).toBeUndefined();
  });

  test('what comes after its value was added, also where one value begins with another', () => {
    const redactor = createRedactor(['longvalue']);
    redactor.add(['longvalue-and-more', 'short']);
    expect(redactor.text('longvalue longvalue-and-more short')).toBe('[redacted] [redacted] short');
  });
});

describe('A value that could be a number', () => {
  const PIN = '17123456';
  const redactor = createRedactor([A_KEY, PIN, '-1.5e+10']);

  test.each<[string, string, string]>([
    ['a text', `the pin: ${PIN}, or so`, 'the pin: [redacted], or so'],
    ['a text alone', PIN, '[redacted]'],
    ['a text with braces', `{${PIN}}`, '{[redacted]}'],
    ['a text of a number of digits', '1712345678901', '[redacted]78901'],
    ['a string of JSON', `{"pin":"${PIN}","n":1}`, '{"pin":"[redacted]","n":1}'],
    ['a name in JSON', `{"${PIN}":true}`, '{"[redacted]":true}'],
    ['a string with quotes', JSON.stringify({ a: `"${PIN}"\\` }), JSON.stringify({ a: '"[redacted]"\\' })],
    ['JSON in JSON', JSON.stringify({ a: `{"n":${PIN}}` }), JSON.stringify({ a: '{"n":[redacted]}' })],
    ['JSON on several lines', `{\n  "pin": "${PIN}"\n}`, '{\n  "pin": "[redacted]"\n}'],
    [
      'a line that is no JSON, beside one',
      `{"time":1712345678901}\npin ${PIN}`,
      '{"time":1712345678901}\npin [redacted]',
    ],
    [
      'a frame of a stream',
      `event: x\ndata: {"at":1712345678901,"s":"${PIN}"}\n\n`,
      'event: x\ndata: {"at":1712345678901,"s":"[redacted]"}\n\n',
    ],
    ['JSON beside another', `[1712345678901,"${A_KEY}","${PIN}"]`, '[1712345678901,"[redacted]","[redacted]"]'],
  ])('is taken out of %s', (_, text, clean) => {
    expect(redactor.text(text)).toBe(clean);
  });

  test.each([
    ['a time', '{"sequence":3,"time":1712345678901,"payload":{}}\n'],
    ['lines of a log', '{"time":1712345678901}\n{"time":1712345678902}\n'],
    ['a number that is equal', `{"tokens":${PIN},"list":[${PIN}]}`],
    ['a number with an exponent', '{"n":-1.5e+10}'],
  ])('is not looked for in the numbers of JSON: %s', (_, json) => {
    expect(redactor.text(json)).toBe(json);
    expect(redactor.data(JSON.parse(json.split('\n')[0] ?? ''))).toEqual(JSON.parse(json.split('\n')[0] ?? ''));
  });
});

test.each([
  ['a commit', '3f786850e387550fdab836ed7e6dc881de23001b'],
  ['a checksum', 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  ['an id of a thread', 'thread-0192f3a1b2c37d4e8f90a1b2c3d4e5f6'],
  ['an id of a call', 'toolu_01A09q90qw90lq917835lq9 call_abcdefghijklmnopqrstuvwx'],
  ['a UUID', '0192f3a1-b2c3-7d4e-8f90-a1b2c3d4e5f6'],
  ['a signed item', `rye:signed:2026-11-22T10:00:00Z:${'9f86d081'.repeat(8)}:${'aB3_-x'.repeat(14)}:0123456789abcdef`],
  ['an opaque thought', Buffer.from('thoughts of a model '.repeat(60)).toString('base64')],
  [
    'the same for addresses',
    Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 7919) % 251)).toString('base64url'),
  ],
  [
    'words with dashes',
    'task-management-for-everyone risk-assessment-of-internationalization sk-learn-pipelines-for-all',
  ],
  ['names', 'ask_live_questions desk_test_results xoxo hf_hub eyJustWords AKIA npm_config_registry'],
  ['a public key', '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----'],
  ['a certificate', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'],
  ['a scheme in prose', 'the bearer of this letter-is-welcome everywhere'],
])('%s is no secret', (_, text) => {
  const redactor = createRedactor();
  expect(redactor.text(text)).toBe(text);
  expect(redactor.text(JSON.stringify({ text }))).toBe(JSON.stringify({ text }));
});

test.each([
  ['digits', '1'],
  ['quotes', '"'],
  ['backslashes', '\\'],
  ['lines', '\n'],
])('ten megabytes of %s with a value that could be a number take no longer than they are', (_, part) => {
  const PIN = '17123456';
  const json = JSON.stringify({ time: 1_712_345_678_901, text: `${part.repeat(10_000_000)} ${PIN}` });
  const redactor = createRedactor([PIN]);
  expect(redactor.text(json).endsWith('[redacted]"}')).toBe(true);
  expect(costOf(() => redactor.text(json), 2_000)).toBeLessThan(2_000);
});

test.each([
  ['private keys that begin', '-----BEGIN PRIVATE KEY-----'],
  ['keys that begin', 'sk-'],
  ['tokens that begin', 'eyJaaaaaaaa.'],
  ['schemes', 'Bearer '],
  ['schemes with words', `Bearer ${'a'.repeat(15)}`],
  ['dashes', '-----BEGIN '],
  ['escapes behind a scheme', `Bearer ${String.raw`\/\u002B\\`.repeat(1_000)}`],
  ['escapes in a private key', `-----BEGIN PRIVATE KEY-----${String.raw`\/\u002B\\\\`.repeat(1_000)}`],
  ['escapes before keys that begin', String.raw`\u003dsk-`],
])('a megabyte of %s takes no longer than it is', (_, part) => {
  const text = part.repeat(Math.ceil(1_000_000 / part.length));
  expect(costOf(() => createRedactor([A_KEY]).text(text), 2_000)).toBeLessThan(2_000);
});

test.each([
  ['key', 'sk-ant-', 'a1'],
  ['key of the older form', 'sk-', 'a1'],
  ['web token', 'eyJaaaaaaaa.eyJaaaaaaaa.', 'a'],
  ['token', 'Bearer ', 'a1'],
  ['token of escapes', 'Bearer a1', String.raw`\/`],
  ['token with a long end', `Bearer a1${'a'.repeat(16)}`, '='],
  ['private key', '-----BEGIN PRIVATE KEY-----', 'A'],
  ['private key of lines', '-----BEGIN PRIVATE KEY-----', String.raw`\n`],
  ['private key of dashes', '-----BEGIN PRIVATE KEY-----', '-a'],
])('a %s of twenty megabytes begins as any other, and is too much for nothing', (_, begin, part) => {
  const text = `${begin}${part.repeat(20_000_000 / part.length)}`;
  const redactor = createRedactor([A_KEY]);
  expect(redactor.text(text).replace('Bearer ', '').startsWith('[redacted]')).toBe(true);
  expect(redactor.safeEnd(text, 0)).toBeLessThan(begin.length);
});

describe('A text that is told in pieces', () => {
  /** Tells as much as it may after every chunk, and the rest at the end. */
  function tell(chunks: readonly string[], values: readonly string[] = [A_KEY]): string[] {
    const redactor = createRedactor(values);
    const told: string[] = [];
    let text = '';
    let from = 0;
    for (const chunk of chunks) {
      text += chunk;
      const end = redactor.safeEnd(text, from);
      told.push(text.slice(from, end));
      from = end;
    }
    return [...told, text.slice(from)].map((piece) => redactor.text(piece));
  }

  test.each([['a known value', A_KEY] as const, ...SHAPED])('never gives away a part of it: %s', (_, secret) => {
    const text = `first ${secret}, then "more" of it.`;
    for (let cut = 0; cut <= text.length; cut++) {
      expect(tell([text.slice(0, cut), text.slice(cut)]).join('')).toBe('first [redacted], then "more" of it.');
    }
    const letters = Array.from({ length: text.length }, (_letter, at) => text.charAt(at));
    expect(tell(letters).join('')).toBe('first [redacted], then "more" of it.');
  });

  test.each([
    ['as it is', A_PASSWORD],
    ['in JSON', JSON.stringify(A_PASSWORD)],
    ['in JSON in JSON', JSON.stringify(JSON.stringify(A_PASSWORD))],
    ['in JSON that escapes more than it must', escapeMore(A_PASSWORD)],
    ['in JSON in JSON that escapes more than it must', escapeMore(escapeMore(A_PASSWORD))],
    ['in an address', `?k=${encodeURIComponent(A_PASSWORD)}&`],
  ])('never gives away a part of a known value %s', (_, written) => {
    const whole = createRedactor([A_PASSWORD]).text(written);
    expect(whole).toMatch(/^\W*k?=?\[redacted\]\W*$/);
    for (let cut = 0; cut <= written.length; cut++) {
      expect(tell([written.slice(0, cut), written.slice(cut)], [A_PASSWORD]).join('')).toBe(whole);
    }
    expect(tell(written.split(''), [A_PASSWORD]).join('')).toBe(whole);
  });

  test.each([
    ['an escape of JSON', String.raw`"x\n`],
    ['an escape of JSON in JSON', String.raw`"x\\n`],
    ['an escape by number', String.raw`"x\u201c`],
    ['an escape by number in JSON in JSON', String.raw`"x\\u003D`],
    ['a colour', '\u001B[32m'],
    ['colours', '\u001B[38;5;196m'],
    ['a colour in JSON', String.raw`"\u001b[0m`],
    ['a percent code', 'a=b%3D'],
    ['a bracket', '[1]['],
  ])('never gives away a part of it behind %s', (_, before) => {
    const schemes = ['Bearer abcdef0123456789', String.raw`Bearer ab\/cdef0123456789\u002Bgh\\/ij\u003D`];
    for (const secret of [...SHAPED.map(([, shaped]) => shaped), ...schemes]) {
      const text = `${before}${secret} end`;
      const whole = createRedactor([A_KEY]).text(text);
      expect(whole).toMatch(/\[redacted\] end$/);
      for (let cut = 0; cut <= text.length; cut++) {
        expect(tell([text.slice(0, cut), text.slice(cut)]).join('')).toBe(whole);
      }
      const letters = Array.from({ length: text.length }, (_letter, at) => text.charAt(at));
      expect(tell(letters).join('')).toBe(whole);
    }
  });

  test.each(['50%', 'a list: [', 'see [12', String.raw`C:\ `.trim(), String.raw`C:\u00`, '%A'])(
    'waits for one more character where an escape may have begun: %j',
    (text) => {
      expect(tell([text, '. More.']).join('')).toBe(`${text}. More.`);
      expect(tell([`${text}.`, ' More.'])[0]).toBe(`${text}.`);
    },
  );

  test('hides a token behind its scheme', () => {
    expect(tell(['Authorization: Bear', 'er ', 'abcdef01', '23456789 is it']).join('')).toBe(
      'Authorization: Bearer [redacted] is it',
    );
  });

  test('is told at once where nothing begins', () => {
    expect(tell(['Once upon ', 'a time, there was ', 'a model.'])).toEqual([
      'Once upon ',
      'a time, there was ',
      'a model.',
      '',
    ]);
  });

  test('holds back no more than the word that might go on', () => {
    expect(tell(['the desk', ' and its s', 'kin'], [])).toEqual(['the desk', ' and its ', 'skin', '']);
  });
});
