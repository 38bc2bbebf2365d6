import type { BenchItem } from './item-texts.ts';

/** Tools that every directive may call. */
const TOOLS = 20;
/** Paragraphs of a knowledge item. */
const PARAGRAPH = 'What a thread has to know about this part of its work, said in a sentence of ordinary length. ';

/**
 * Items for prompts: `count` directives `bench/leaf-N`, each with a chain of three of its own (two knowledge items a level,
 * one in the system message and one before), and 20 tools.
 */
export function promptItems(count: number): BenchItem[] {
  const sets = Array.from({ length: count }, (_, at) => at);
  return [...sets.flatMap((at) => chainItems(at)), ...Array.from({ length: TOOLS }, (_, at) => toolItem(at))];
}

/** The directive at the end of a chain. */
export function leafId(at: number): string {
  return `bench/leaf-${at}`;
}

function chainItems(at: number): BenchItem[] {
  const levels = [
    { name: `root-${at}`, base: undefined },
    { name: `middle-${at}`, base: `bench/root-${at}` },
    { name: `leaf-${at}`, base: `bench/middle-${at}` },
  ];
  return levels.flatMap(({ name, base }) => [
    directiveItem(name, base),
    knowledgeItem(`${name}-system`),
    knowledgeItem(`${name}-before`),
  ]);
}

function directiveItem(name: string, base: string | undefined): BenchItem {
  const text = [
    `# ${name}`,
    '',
    'Does a part of the work.',
    '',
    '```xml',
    `<directive name="${name}" version="1.0.0"${base === undefined ? '' : ` extends="${base}"`}>`,
    '  <metadata>',
    '    <description>Does a part of the work</description>',
    '    <category>bench</category>',
    '    <permissions><execute><tool>bench/*</tool></execute></permissions>',
    `    <context><system>bench/${name}-system</system><before>bench/${name}-before</before></context>`,
    '  </metadata>',
    '  <inputs><input name="what" required="true">What it is about</input></inputs>',
    '  <outputs><output name="result">What came out</output></outputs>',
    '</directive>',
    '```',
    '',
    '1. Look at {input:what}.',
    '2. Say what came out.',
    '',
  ].join('\n');
  return { kind: 'directive', id: `bench/${name}`, extension: '.md', text };
}

function knowledgeItem(name: string): BenchItem {
  const head = `---\nname: ${name}\ntitle: ${name}\ncategory: bench\nversion: "1.0.0"\ntags: [bench]\n---\n\n`;
  return { kind: 'knowledge', id: `bench/${name}`, extension: '.md', text: `${head}${PARAGRAPH.repeat(6)}\n` };
}

function toolItem(at: number): BenchItem {
  const text = [
    "export const __version__ = '1.0.0';",
    "export const __tool_type__ = 'node';",
    "export const __category__ = 'bench';",
    `export const __tool_description__ = 'Does step ${at} of the work';`,
    'export const CONFIG_SCHEMA = {',
    "  type: 'object',",
    "  properties: { what: { type: 'string', description: 'What it is about' }, times: { type: 'integer', minimum: 1 } },",
    "  required: ['what'],",
    '};',
    'export const execute = ({ what }) => what;',
    '',
  ].join('\n');
  return { kind: 'tool', id: `bench/tool-${at}`, extension: '.js', text };
}
