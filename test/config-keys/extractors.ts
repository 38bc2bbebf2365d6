import type { ItemKind } from '../../src/core/item.ts';
import { readings, scores } from './extractors-at-work.ts';
import { SCHEMA_VERSION, type Row } from './row.ts';

/** The rows of a kind's extractor. */
export function extractorRows(kind: ItemKind): readonly Row[] {
  const sees = readings[kind];
  return [
    SCHEMA_VERSION,
    { path: 'item_type', to: () => (kind === 'tool' ? 'directive' : 'tool'), refused: /belongs here/ },
    { path: 'files[*].id', to: () => '.other', sees },
    { path: 'files[*].comment', to: (form) => (form === '#' ? '//' : '#'), refused: /have comments of the form/ },
    ...FILES[kind],
    { path: 'fields[*].id', sees },
    { path: 'fields[*].path', sees },
    { path: 'fields[*].type', to: (type) => (type === 'string' ? 'integer' : 'string'), sees },
    { path: 'fields[*].required', sees },
    { path: 'fields[*].weight', sees: scores },
  ];
}

/** Directives are read in two ways, knowledge in one alone. */
const DIRECTIVE_FILES: readonly Row[] = [
  {
    path: 'files[*].parser',
    to: (parser) => (parser === 'prompty' ? 'markdown_xml' : 'prompty'),
    sees: readings.directive,
  },
];
const KNOWLEDGE_FILES: readonly Row[] = [
  { path: 'files[*].parser', to: () => 'yaml', refused: /makes no \w+; allowed: \w+$/ },
];

/** A file is read by another parser whose comments are the same; where there is none, only one will do. */
const TOOL_FILES: readonly Row[] = [
  ...['.py', '.yaml', '.yml', '.sh'].map((extension) => ({
    path: `files[${extension}].parser`,
    to: (parser: unknown) => (parser === 'static_python' ? 'static_bash' : 'static_python'),
    sees: readings.tool,
  })),
  ...['.json', '.js', '.mjs', '.ts'].map((extension) => ({
    path: `files[${extension}].parser`,
    to: () => 'yaml',
    refused: /have comments of the form/,
  })),
  { path: 'files[*].executor', sees: readings.tool },
];

const FILES: Readonly<Record<ItemKind, readonly Row[]>> = {
  directive: DIRECTIVE_FILES,
  tool: TOOL_FILES,
  knowledge: KNOWLEDGE_FILES,
};
