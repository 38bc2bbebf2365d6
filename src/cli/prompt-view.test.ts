import { expect, test } from 'vitest';
import type { PromptPreview } from '../core/prompt-preview.ts';
import { promptView } from './prompt-view.ts';

const TOOL = { name: 'rye_load', id: 'rye/load', primary: 'load', description: '', inputSchema: {} } as const;

test.each([
  ['of its own', 7, 'rye_load  load rye/load (7 tokens)'],
  ['that the system message has', 0, 'rye_load  load rye/load (told above)'],
])('A tool is shown with the tokens %s', (_name, tokens, line) => {
  const nothing = { text: '', tokens: 0, parts: [] };
  const preview: PromptPreview = {
    directive: 'd',
    model: 'm',
    capabilities: [],
    extends: [],
    system: nothing,
    message: nothing,
    tools: [{ ...TOOL, tokens }],
    leftOut: [],
    notes: [],
    warnings: [],
  };
  expect(promptView(preview).split('\n')).toContain(line);
});
