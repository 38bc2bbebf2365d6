import { describe, expect, test } from 'vitest';
import * as assembly from '../src/assembly.ts';
import { assembleMessages, assembleTieredMessages, type ChatMessage, type TieredMessages } from '../src/assembly.ts';

/* S1's tables and formats as data. */

const REFERENCE = 'These files are included for reference:';

describe('The headers of S1 "Header Constants"', () => {
  test.each([
    [
      'REPO_MAP_HEADER',
      '# Repository Structure\n\nBelow is a map of the repository showing classes, functions, and their relationships.\nUse this to understand the codebase structure and find relevant code.\n\n',
    ],
    ['FILE_TREE_HEADER', '# Repository Files\n\nComplete list of files in the repository:\n\n'],
    [
      'URL_CONTEXT_HEADER',
      '# URL Context\n\nThe following content was fetched from URLs mentioned in the conversation:\n\n',
    ],
    ['FILES_ACTIVE_HEADER', '# Working Files\n\nHere are the files:\n\n'],
    ['FILES_L0_HEADER', `# Reference Files (Stable)\n\n${REFERENCE}\n\n`],
    ['FILES_L1_HEADER', `# Reference Files\n\n${REFERENCE}\n\n`],
    ['FILES_L2_HEADER', `# Reference Files (L2)\n\n${REFERENCE}\n\n`],
    ['FILES_L3_HEADER', `# Reference Files (L3)\n\n${REFERENCE}\n\n`],
    ['TIER_SYMBOLS_HEADER', '# Repository Structure (continued)\n\n'],
    ['REVIEW_CONTEXT_HEADER', '# Code Review Context\n\n'],
  ])('has %s', (name, text) => {
    expect(new Map(Object.entries<unknown>(assembly)).get(name)).toBe(text);
  });
});

const turn = (name: string): ChatMessage[] => [
  { role: 'user', content: `${name}?` },
  { role: 'assistant', content: `${name}.` },
];

const tier = (name: string) => ({
  symbols: `${name} symbols\n`,
  files: `${assembly.fileBlock(`${name}.ts`, `${name} text`)}\n\n`,
  history: turn(name),
});

const FULL: TieredMessages = {
  systemPrompt: 'You are careful.',
  symbolLegend: 'c=class',
  symbolMap: 'other.ts:\n  c Other\n',
  tieredContent: { L0: tier('L0'), L1: tier('L1'), L2: tier('L2'), L3: tier('L3') },
  fileTree: assembly.fileTree(['src/main.py', 'README.md', '.gitignore']),
  urlContext: 'page',
  reviewContext: 'changes',
  activeFiles: assembly.fileBlock('now.ts', 'now'),
  activeHistory: turn('active'),
  userPrompt: 'Do it.',
  systemReminder: 'Be exact.',
};

const file = (path: string, text: string): string => `${path}\n\`\`\`\n${text}\n\`\`\``;
const marked = (text: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }];

function block(name: 'L1' | 'L2' | 'L3', header: string) {
  return [
    {
      role: 'user',
      content: `# Repository Structure (continued)\n\n${name} symbols\n\n${header}\n\n${REFERENCE}\n\n${file(`${name}.ts`, `${name} text`)}`,
    },
    { role: 'assistant', content: 'Ok.' },
    { role: 'user', content: `${name}?` },
    { role: 'assistant', content: marked(`${name}.`) },
  ];
}

test('the message array has S1\'s order, headers, acknowledgements and marks ("Message Array Structure")', () => {
  expect(assembleTieredMessages(FULL)).toEqual([
    {
      role: 'system',
      content: `You are careful.\n\n${assembly.REPO_MAP_HEADER}c=class\n\nL0 symbols\n\n# Reference Files (Stable)\n\n${REFERENCE}\n\n${file('L0.ts', 'L0 text')}`,
    },
    { role: 'user', content: 'L0?' },
    { role: 'assistant', content: marked('L0.') },
    ...block('L1', '# Reference Files'),
    ...block('L2', '# Reference Files (L2)'),
    ...block('L3', '# Reference Files (L3)'),
    { role: 'user', content: '# Repository Structure (continued)\n\nother.ts:\n  c Other\n' },
    { role: 'assistant', content: 'Ok.' },
    {
      role: 'user',
      content:
        '# Repository Files\n\nComplete list of files in the repository:\n\n# File Tree (3 files)\n\n.gitignore\nREADME.md\nsrc/main.py',
    },
    { role: 'assistant', content: 'Ok.' },
    { role: 'user', content: `${assembly.URL_CONTEXT_HEADER}page` },
    { role: 'assistant', content: "Ok, I've reviewed the URL content." },
    { role: 'user', content: '# Code Review Context\n\nchanges' },
    { role: 'assistant', content: "Ok, I've reviewed the code changes." },
    { role: 'user', content: `# Working Files\n\nHere are the files:\n\n${file('now.ts', 'now')}` },
    { role: 'assistant', content: 'Ok.' },
    ...turn('active'),
    { role: 'user', content: 'Do it.\n\nBe exact.' },
  ]);
});

describe('What is empty is left out', () => {
  const shown = (change: Partial<TieredMessages>): string[] =>
    assembleTieredMessages({ systemPrompt: 'S', userPrompt: 'P', tieredContent: {}, ...change }).map(
      ({ role, content }) =>
        `${role} ${(typeof content === 'string' ? content : JSON.stringify(content)).split('\n')[0]}`,
    );
  const head = `system ${JSON.stringify(marked('S'))}`;

  test.each<[string, Partial<TieredMessages>, string[]]>([
    ['no tier has anything', {}, []],
    ['a tier has empty parts', { tieredContent: { L1: { symbols: '', files: '', history: [] }, L2: {} } }, []],
    [
      'a tier has history only: no pair',
      { tieredContent: { L2: { history: [{ role: 'user', content: 'q' }] } } },
      [`user ${JSON.stringify(marked('q'))}`],
    ],
    [
      'a tier has symbols only',
      { tieredContent: { L3: { symbols: 'x' } } },
      ['user # Repository Structure (continued)', `assistant ${JSON.stringify(marked('Ok.'))}`],
    ],
    [
      'a tier has files only',
      { tieredContent: { L1: { files: 'x' } } },
      ['user # Reference Files', `assistant ${JSON.stringify(marked('Ok.'))}`],
    ],
    [
      'parts of the tail are blank',
      { fileTree: '', urlContext: '\n', reviewContext: '', activeFiles: '', symbolMap: '' },
      [],
    ],
    ['a review is not on', { urlContext: 'u' }, ['user # URL Context', "assistant Ok, I've reviewed the URL content."]],
  ])('where %s', (_title, change, between) => {
    expect(shown(change)).toEqual([head, ...between, 'user P']);
  });

  test('and so is the prompt where the history ends with what is to be answered', () => {
    const history: ChatMessage[] = [{ role: 'tool', content: 'result', tool_call_id: 'c' }];
    const messages = assembleTieredMessages({ systemPrompt: '', tieredContent: {}, activeHistory: history });
    expect(messages).toEqual(history);
  });
});

describe('cache_control (S1 "Cache Control Placement")', () => {
  const called: ChatMessage = { role: 'assistant', content: null, tool_calls: [{ id: 'c' }] };
  const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AA' } };
  const at = (change: Partial<TieredMessages>): number[] =>
    assembleTieredMessages({ ...FULL, ...change }).flatMap(({ content }, index) =>
      JSON.stringify(content).includes('cache_control') ? [index] : [],
    );

  test.each<[string, Partial<TieredMessages>, number[]]>([
    ['L0 without history: on the system message', { tieredContent: {} }, [0]],
    ["L0 with history: on the last of L0's history", { tieredContent: { L0: { history: turn('a') } } }, [2]],
    ['L1 without history: on its acknowledgement', { tieredContent: { L1: { files: 'f' } } }, [0, 2]],
    [
      'L1 to L3: on the last message of each',
      { tieredContent: { L1: tier('L1'), L2: { files: 'f' }, L3: tier('L3') } },
      [0, 4, 6, 10],
    ],
    [
      'a message without text is passed over',
      { tieredContent: { L1: { history: [...turn('a'), called, { role: 'user', content: '' }] } } },
      [0, 2],
    ],
    ['no more than the provider takes', { cacheLimits: { breakpoints: 2, minimumTokens: 0 } }, [10, 14]],
    [
      'one may stand before the prompt',
      { tieredContent: { L0: tier('L0') }, marksTail: true, cacheLimits: { breakpoints: 2, minimumTokens: 0 } },
      [2, 14],
    ],
    ["as the last of four, in the place of L0's", { marksTail: true }, [6, 10, 14, 26]],
    ['none where the provider takes none', { cacheLimits: { breakpoints: 0, minimumTokens: 0 } }, []],
    [
      'none under the minimum, all before it counted',
      {
        cacheLimits: { breakpoints: 4, minimumTokens: 1000 },
        countTokens: () => 0,
        tieredContent: {
          L1: { files: 'f', tokens: 999 },
          L2: { files: 'f', tokens: 1 },
          L3: { files: 'f', tokens: 5 },
        },
      },
      [4, 6],
    ],
  ])('%s', (_title, change, indices) => {
    expect(at(change)).toEqual(indices);
  });

  test('stands at the last text of a message of several parts, which is not changed itself', () => {
    const history: ChatMessage[] = [{ role: 'user', content: [{ type: 'text', text: 'look' }, image] }];
    const before = structuredClone(history);
    const [, message] = assembleTieredMessages({ ...FULL, tieredContent: { L1: { history } } });
    expect(message?.content).toEqual([...marked('look'), image]);
    expect(history).toEqual(before);
  });
});

describe('The current message (S1 "Current User Message", "System Reminder")', () => {
  const url = 'data:image/png;base64,iVBORw0KGgo=';
  const last = (change: Partial<TieredMessages>) => assembleTieredMessages({ ...FULL, ...change }).at(-1);

  test.each([
    ['a text', {}, 'Do it.\n\nBe exact.'],
    ['a text without a reminder', { systemReminder: '' }, 'Do it.'],
    [
      'images',
      { images: [url, url] },
      [
        { type: 'text', text: 'Do it.\n\nBe exact.' },
        { type: 'image_url', image_url: { url } },
        { type: 'image_url', image_url: { url } },
      ],
    ],
    [
      'images alone: no empty text, which providers refuse',
      { images: [url], userPrompt: '', systemReminder: '' },
      [{ type: 'image_url', image_url: { url } }],
    ],
  ])('with %s', (_title, change, content) => {
    expect(last(change)).toEqual({ role: 'user', content });
  });

  test('with images and no prompt has the reminder', () => {
    const { userPrompt: _, ...unasked } = FULL;
    expect(assembleTieredMessages({ ...unasked, images: [url] }).at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'Be exact.' },
        { type: 'image_url', image_url: { url } },
      ],
    });
  });
});

describe('Formats', () => {
  test.each([
    ['a file has a fence without a language', assembly.fileBlock('a/b.py', 'x = 1\n'), 'a/b.py\n```\nx = 1\n\n```'],
    [
      'a file that has fences is in a longer one',
      assembly.fileBlock('a.md', '````\nx\n````'),
      'a.md\n`````\n````\nx\n````\n`````',
    ],
    [
      'the tree is flat and sorted, each file once',
      assembly.fileTree(['b', 'a/c', 'b']),
      '# File Tree (2 files)\n\na/c\nb',
    ],
    [
      'URLs are joined by a line',
      assembly.urlBlocks([
        { url: 'https://a', title: 'A', content: 'text', symbolMap: 'map' },
        { url: 'https://b', content: 'more' },
      ]),
      '## A\n\ntext\n\nmap\n---\n## https://b\n\nmore',
    ],
  ])('%s', (_title, given, wanted) => {
    expect(given).toBe(wanted);
  });
});

test('flat assembly has the same parts without tiers and marks (S1 "Overview")', () => {
  const { tieredContent: _, ...flat } = FULL;
  const messages = assembleMessages(flat);
  expect(messages[0]).toEqual({
    role: 'system',
    content: `You are careful.\n\n${assembly.REPO_MAP_HEADER}c=class\n\nother.ts:\n  c Other`,
  });
  expect(messages.map(({ role }) => role[0]).join('')).toBe('suauauauauau');
  expect(JSON.stringify(messages)).not.toMatch(/cache_control|Repository Structure \(continued\)/);
  expect(messages.at(-1)).toEqual({ role: 'user', content: 'Do it.\n\nBe exact.' });
});
