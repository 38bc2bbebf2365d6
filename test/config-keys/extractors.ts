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
    ...(kind === 'tool' ? TOOL_FILES : [ONE_PARSER]),
    { path: 'fields[*].id', sees },
    { path: 'fields[*].path', sees },
    { path: 'fields[*].type', to: (type) => (type === 'string' ? 'integer' : 'string'), sees },
    { path: 'fields[*].required', sees },
    { path: 'fields[*].weight', sees: scores },
  ];
}

/** Its files can be read in one way alone. */
const ONE_PARSER: Row = { path: 'files[*].parser', to: () => 'yaml', refused: /makes no \w+; allowed: \w+$/ };

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
