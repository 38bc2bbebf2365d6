import type { ItemKind } from '../../src/core/item.ts';

/** The text of an item of a project. */
export type Sample = { readonly id: string; readonly extension: string; readonly text: string };

/** Every field that a directive may have; `marble` stands in those that can be searched. */
const DIRECTIVE = `\`\`\`xml
<directive name="marble" version="1.0.0" extends="base">
  <metadata>
    <title>A marble</title>
    <description>Cuts marble</description>
    <category>marble</category>
    <tags>marble, stone</tags>
    <author>Ada</author>
    <license>MIT</license>
    <created_at>2026-01-01</created_at>
    <updated_at>2026-02-01</updated_at>
    <references><reference>a/b</reference></references>
    <notes>none</notes>
    <model tier="general"/>
    <limits turns="3"/>
    <permissions><execute><tool>*</tool></execute></permissions>
    <acknowledge risk="high">it cuts</acknowledge>
    <context><before>a/b</before></context>
    <hooks><hook id="h" event="limit"><action function="f"/></hook></hooks>
  </metadata>
  <inputs><input name="a" type="string" required="true">a</input></inputs>
  <outputs><output name="b" type="string" required="true">b</output></outputs>
</directive>
\`\`\`

Do it.
`;

const EMPTY_DIRECTIVE = '```xml\n<directive><metadata></metadata></directive>\n```\n\nDo it.\n';

const KNOWLEDGE = `---
id: marble
name: marble
title: A marble
entry_type: marble
category: marble
version: '1.0.0'
description: About marble
tags: [marble]
author: Ada
license: MIT
created_at: '2026-01-01'
updated_at: '2026-02-01'
references: [a/b]
---
Stone.
`;

/** The constants of a tool, as a module has them. */
const CONSTANTS: readonly (readonly [name: string, value: unknown])[] = [
  ['__version__', '1.0.0'],
  ['__tool_type__', 'script'],
  ['__tool_description__', 'Cuts marble'],
  ['__category__', 'marble'],
  ['__tags__', ['marble']],
  ['__author__', 'Ada'],
  ['__idempotent__', false],
  ['__timeout_seconds__', 5],
  ['CONFIG_SCHEMA', { type: 'object', properties: {} }],
];

const python = `${CONSTANTS.map(([name, value]) => `${name} = ${JSON.stringify(value).replace('false', 'False')}`).join('\n')}
name = "marble"
title = "A marble"

def execute(params, project_path):
    return 1
`;

const module = `${CONSTANTS.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`).join('\n')}
export function execute(params, projectPath) {
  return 1;
}
`;

const bash = `#!/usr/bin/env bash
${CONSTANTS.map(([name, value]) => `# ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join('\n')}
echo 1
`;

const document = JSON.stringify({
  name: 'marble',
  title: 'A marble',
  version: '1.0.0',
  tool_type: 'http',
  executor_id: 'rye/core/primitives/http_client',
  description: 'Cuts marble',
  category: 'marble',
  tags: ['marble'],
  author: 'Ada',
  idempotent: false,
  timeout_seconds: 5,
  config_schema: { type: 'object', properties: {} },
});

/** Items of every kind in files of every type, whole ones and some that say next to nothing. */
export const SAMPLES: Readonly<Record<ItemKind, readonly Sample[]>> = {
  directive: [
    { id: 'marble', extension: '.md', text: DIRECTIVE },
    { id: 'empty', extension: '.md', text: EMPTY_DIRECTIVE },
    { id: 'prompt', extension: '.prompty', text: '---\nname: p\n---\nuser:\nDo it.\n' },
    ...['one', 'two', 'three'].map((id) => ({ id, extension: '.md', text: EMPTY_DIRECTIVE })),
  ],
  tool: [
    { id: 'py', extension: '.py', text: python },
    ...['.js', '.mjs', '.ts'].map((extension) => ({ id: extension.slice(1), extension, text: module })),
    { id: 'sh', extension: '.sh', text: bash },
    ...['.yaml', '.yml', '.json'].map((extension) => ({ id: extension.slice(1), extension, text: document })),
    { id: 'empty', extension: '.yaml', text: 'executor_id: rye/core/primitives/http_client\n' },
    { id: 'bare', extension: '.py', text: 'CONFIG_SCHEMA = {}\n\ndef execute(params, project_path):\n    return 1\n' },
  ],
  knowledge: [
    { id: 'marble', extension: '.md', text: KNOWLEDGE },
    ...['one', 'two', 'three'].map((id) => ({ id, extension: '.md', text: '---\ncategory: stone\n---\nStone.\n' })),
  ],
};
