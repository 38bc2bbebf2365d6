import type { Failure } from '../core/errors.ts';
import type { ItemKind } from '../core/item.ts';
import type { SpaceLeftOut } from '../items/spaces.ts';
import { loadedData, signatureData } from '../tools/primary-load.ts';
import type { ChainView } from './item-chain.ts';
import { type ItemView, refusalOf } from './item-view.ts';

type Json = Readonly<Record<string, unknown>>;

/** What `list` and `show` say about where an item is and how it stands; snake case, as everything that is sent. */
function standing(view: ItemView): Json {
  const { kind, id, space, file, shadowedBy } = view;
  const refusal = refusalOf(view);
  return {
    kind,
    id,
    space,
    file,
    signature: signatureData(view.signature),
    shadowed_by: shadowedBy ?? null,
    refused: refusal === undefined ? null : refusalJson(refusal),
    warnings: view.warnings,
  };
}

/** An entry of `skein item list --json`. */
export function listedJson(view: ItemView): Json {
  if ('refusal' in view.content) return standing(view);
  const { name, title, description, category, tags, version, declared } = view.content.parsed;
  return { ...standing(view), declared, name, title, description, category, tags, version };
}

/** A file that lies where items of a kind are looked for, and is none. */
export type UnlistedFile = SpaceLeftOut & { readonly kind: ItemKind };

/** An entry of `skein item list --json` for what is no item. */
export function unlistedJson({ kind, space, file, reason }: UnlistedFile): Json {
  return { kind, id: null, space, file, not_listed: reason };
}

/** An entry of `skein item show --json`: as listed, with what loading it gives (S2 §7.6). */
export function shownJson(view: ItemView, chain: ChainView | Failure | undefined): Json {
  const { shadows, isOutside, content } = view;
  const place = { ...standing(view), shadows, outside: isOutside };
  if ('refusal' in content) return { ...place, data: null };
  // How it is signed stands beside the data, as `verify` spells it.
  const { signature: _, ...data } = loadedData({ ...content, signature: { state: 'unsigned' } });
  const run = chain && ('code' in chain ? { problem: refusalJson(chain) } : chain);
  return { ...place, declared: content.parsed.declared, data, ...(run && { run }) };
}

function refusalJson({ code, message, where }: Failure): Json {
  return { code, message, file: where?.file ?? null, line: where?.line ?? null, path: where?.path ?? null };
}
