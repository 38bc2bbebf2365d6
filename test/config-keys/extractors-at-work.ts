import { ITEM_KINDS, type ItemKind } from '../../src/core/item.ts';
import { parseText } from '../../src/items/fixtures/parse-text.ts';
import { TRUSTING } from '../../src/items/fixtures/trusting.ts';
import { validateFields } from '../../src/items/item-fields.ts';
import type { ParsedItem } from '../../src/items/parsed-item.ts';
import { createParserRouter } from '../../src/items/parser-router.ts';
import { createItemIndex } from '../../src/items/search/item-index.ts';
import { ITEM_FOLDERS, createSpaces } from '../../src/items/spaces.ts';
import { indexedItems } from '../../src/tools/indexed-items.ts';
import { createItemOpener } from '../../src/tools/open-item.ts';
import { project, type Project } from '../fixtures/scene.ts';
import { SAMPLES, type Sample } from './extractor-samples.ts';
import { once, outcome, type State } from './row.ts';

/** What is read from the samples of a kind, and what is wrong with them when they are to be signed. */
export const readings = {
  directive: once((state) => read(state, 'directive')),
  tool: once((state) => read(state, 'tool')),
  knowledge: once((state) => read(state, 'knowledge')),
} as const;

function read(state: State, kind: ItemKind): unknown {
  const extractor = state.config.extractors.project[kind];
  const router = createParserRouter(state.config.extractors);
  const items = SAMPLES[kind].map((sample) =>
    outcome(() => {
      const parsed = parsedOf(state, kind, sample);
      return [parsed, validateFields(parsed, extractor)];
    }),
  );
  return [router.extensionsOf(kind), items];
}

function parsedOf({ config }: State, kind: ItemKind, { id, extension, text }: Sample): ParsedItem {
  return parseText(kind, text, { id, extension, router: createParserRouter(config.extractors) });
}

let samples: Project | undefined;

/** Ends the project that has the samples in it. */
export function closeSamples(): void {
  samples?.[Symbol.dispose]();
  samples = undefined;
}

function projectOfSamples(): Project {
  if (samples) return samples;
  samples = project();
  for (const kind of ITEM_KINDS) {
    for (const { id, extension, text } of SAMPLES[kind]) {
      samples.write(`.ai/${ITEM_FOLDERS[kind]}/${id}${extension}`, text);
    }
  }
  return samples;
}

/** How well the samples fit a word that stands in each of their fields. */
export async function scores({ config }: State): Promise<unknown> {
  const { extractors } = config;
  const router = createParserRouter(extractors);
  const spaces = createSpaces({ projectPath: projectOfSamples().path }, router);
  const policy = { project: 'off', user: 'off', system: 'off' } as const;
  const open = createItemOpener({ spaces, router, verify: TRUSTING.verify, policy });
  const index = createItemIndex({
    ...indexedItems(spaces, { open }, extractors.project),
    file: ':memory:',
    now: () => 0,
  });
  try {
    const { hits } = await index.search({ text: 'marble', limit: 100 });
    return hits.map(({ kind, id, score }) => [kind, id, score]);
  } finally {
    index.close();
  }
}
