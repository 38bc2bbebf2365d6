import { ITEM_KINDS, type ItemKind } from '../src/core/item.ts';

/** An item of the bench: no two have the same text. */
export type BenchItem = {
  readonly kind: ItemKind;
  readonly id: string;
  readonly extension: string;
  readonly text: string;
};

/** Categories the items are spread over. */
const CATEGORIES = 40;
const VOCABULARY = 20_000;

/** Makes items, a third of each kind, as long as real ones: 1 to 3 KB. The same each time. */
export function makeItems(count: number): BenchItem[] {
  const words = createWords(7);
  return Array.from({ length: count }, (_, index) => {
    const kind = ITEM_KINDS[index % ITEM_KINDS.length] ?? 'knowledge';
    const id = `area-${index % CATEGORIES}/item-${index}`;
    return { kind, id, ...MAKERS[kind](words, { index, category: `area-${index % CATEGORIES}` }) };
  });
}

/** A word by how common it is, 0 the most. */
export function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank * 7919 + 13; rest > 0; rest = Math.floor(rest / 90)) {
    word += (CONSONANTS[rest % CONSONANTS.length] ?? '') + (VOWELS[(rest >> 4) % VOWELS.length] ?? '');
  }
  return word;
}

const CONSONANTS = 'bcdfghjklmnprstvwz';
const VOWELS = 'aeiou';

/** A phrase that every knowledge item has. */
export const PHRASE = 'nobody has to remember';

type Words = (count: number) => string;
type Place = { readonly index: number; readonly category: string };
type Made = Pick<BenchItem, 'extension' | 'text'>;

/** Texts of words that are drawn with a seed; few are common and most are rare, as in a language. */
function createWords(seed: number): Words {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return (count) => Array.from({ length: count }, () => wordOf(Math.floor(random() ** 3 * VOCABULARY))).join(' ');
}

const MAKERS: Readonly<Record<ItemKind, (words: Words, place: Place) => Made>> = {
  directive: makeDirective,
  tool: makeTool,
  knowledge: makeKnowledge,
};

function makeDirective(words: Words, { index, category }: Place): Made {
  const text = `# ${words(3)}

${words(20)}

\`\`\`xml
<directive name="item-${index}" version="1.0.${index}">
  <metadata>
    <description>${words(12)}</description>
    <category>${category}</category>
    <author>bench</author>
    <limits><turns>12</turns><spend>0.25</spend><spawns>3</spawns></limits>
    <permissions>
      <execute><tool>rye/file-system/read</tool><tool>${category}/*</tool></execute>
      <search><knowledge>*</knowledge></search>
    </permissions>
    <context><before>${category}/item-2</before></context>
  </metadata>
  <inputs>
    <input name="path" type="string" required="true">${words(6)}</input>
    <input name="depth" type="integer" default="3">${words(6)}</input>
  </inputs>
  <outputs><output name="report" type="string" required="true">${words(6)}</output></outputs>
  <hooks>
    <hook id="retry" event="error">
      <condition path="attempt" op="lt" value="2"/>
      <execute item_type="tool" item_id="rye/agent/threads/internal/control"><param name="action" value="retry"/></execute>
    </hook>
  </hooks>
</directive>
\`\`\`

${words(120)}

1. ${words(15)}
   <execute item_type="tool" item_id="${category}/item-1"><param name="path">{input:path}</param></execute>
2. ${words(15)}
`;
  return { extension: '.md', text };
}

function makeTool(words: Words, { index, category }: Place): Made {
  const description = `${words(10)}.`;
  return index % 2 === 0 ? makePython(words, description, category) : makeScript(words, description, category);
}

function makePython(words: Words, description: string, category: string): Made {
  const text = `"""${words(12)}"""
import json

__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python_runtime"
__category__ = "${category}"
__tool_description__ = "${description}"
__tags__ = ["${words(1)}", "${words(1)}"]

CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "${words(6)}"},
        "limit": {"type": "integer", "minimum": 1, "default": 10},
    },
    "required": ["path"],
}


def execute(params, project_path):
    # ${words(30)}
    rows = [line for line in open(params["path"]) if "${words(1)}" in line]
    return {"rows": json.dumps(rows[: params.get("limit", 10)])}
`;
  return { extension: '.py', text };
}

function makeScript(words: Words, description: string, category: string): Made {
  const text = `import { readFileSync } from 'node:fs';

// ${words(12)}
export const __version__ = '1.0.0';
export const __tool_type__ = 'node';
export const __category__ = '${category}';
export const __tool_description__ = '${description}';
export const __tags__ = ['${words(1)}', '${words(1)}'];
export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1, description: '${words(6)}' },
    limit: { type: 'integer', minimum: 1, default: 10 },
  },
  required: ['path'],
  additionalProperties: false,
};

/** ${words(30)} */
export function execute({ path, limit }) {
  const rows = readFileSync(path, 'utf8').split('\\n').filter((line) => line.includes(\`\${limit} ${words(1)}\`));
  return { rows: rows.slice(0, limit) };
}
`;
  return { extension: '.js', text };
}

function makeKnowledge(words: Words, { index, category }: Place): Made {
  const text = `---
name: item-${index}
title: ${words(4)}
description: ${words(10)}
category: ${category}
tags: [${words(1)}, ${words(1)}]
version: "1.0.0"
---

# ${words(4)}

${words(120)}

\`\`\`sh
${words(8)}
\`\`\`

${words(100)}: ${PHRASE}.
`;
  return { extension: '.md', text };
}
