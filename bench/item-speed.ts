import { createHash } from 'node:crypto';
import type { ItemKind } from '../src/core/item.ts';
import { createParserRouter } from '../src/items/parser-router.ts';
import { formsOf } from '../src/items/signature/item-verifier.ts';
import { verifySignature } from '../src/items/signature/verify-signature.ts';
import type { ReadItem } from '../src/items/spaces.ts';
import type { ItemServices } from '../src/tools/item-services.ts';
import type { ItemProject } from './item-project.ts';
import type { BenchItem } from './item-texts.ts';
import type { Measured } from './job.ts';

type Metrics = Measured['metrics'];

/** How fast texts are parsed and signatures checked, per second. No file is read for it. */
export function measureTexts({ signed, config }: ItemProject, { trust }: Pick<ItemServices, 'trust'>): Metrics {
  const router = createParserRouter(config.extractors);
  const formOf = formsOf(config.extractors);
  const keys = trust.keysFor('project');
  const parse = (kind: ItemKind): number =>
    perSecond(signed.filter((item) => item.kind === kind).map(toRead), (item) => router.parse(item));
  return {
    directives_parsed: parse('directive'),
    tools_parsed: parse('tool'),
    knowledge_parsed: parse('knowledge'),
    signatures_checked: perSecond(signed, (item) => {
      const { state } = verifySignature(item.text, formOf({ ...item, space: 'project' }), keys);
      if (state !== 'trusted') throw new Error(`${item.id} is ${state}`);
    }),
  };
}

/** How fast directives come out of the item cache, per second: the first time from their files, then again and again. */
export function measureCache({ signed }: ItemProject, { items }: ItemServices): Metrics {
  const ids = signed.filter(({ kind }) => kind === 'directive').map(({ id }) => id);
  const load = (id: string): unknown => items.directive(id);
  const loaded = perSecond(ids, load);
  const again = Array.from({ length: 10 }, () => ids).flat();
  return { directives_loaded: loaded, directives_cached: perSecond(again, load) };
}

function perSecond<Work>(all: readonly Work[], work: (one: Work) => unknown): number {
  const begin = performance.now();
  for (const one of all) work(one);
  return (all.length * 1000) / (performance.now() - begin);
}

function toRead({ kind, id, extension, text }: BenchItem): ReadItem {
  const stamp = { file: `/${id}${extension}`, size: text.length, mtimeMs: 0, ctimeMs: 0, inode: 0 };
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { kind, id, extension, space: 'project', stamp, text, raw: text, sha256, warnings: [] };
}
