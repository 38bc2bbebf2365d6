import type { ItemKey, TierAssignment, TierItem } from '../../src/core/assembly.ts';
import { TIER_KEYS } from '../../src/core/assembly.ts';
import { isSymbol } from '../../src/prompt/tiers/policy-keys.ts';
import { CACHE, TOKENS } from './constants.ts';
import type { Block, Request } from './provider-cache.ts';
import { historyKey, type Situation } from './replay.ts';

/** The items of a situation. `kept`: files that are not selected, but stand in the prompt and could stay. */
export function itemsOf({ files, selected, history }: Situation, kept: readonly string[] = []): TierItem[] {
  const symbols = [...files].flatMap(([path, { symbolHash, symbolTokens }]) =>
    symbolHash === '' ? [] : [{ key: `symbol:${path}` as const, hash: symbolHash, tokens: symbolTokens }],
  );
  const texts = [...new Set([...selected, ...kept])].flatMap((path) => {
    const version = files.get(path);
    return version ? [{ key: `file:${path}` as const, hash: version.hash, tokens: version.tokens }] : [];
  });
  const said = history.map((message) => ({ key: historyKey(message), hash: message.id, tokens: message.tokens }));
  return [...symbols, ...texts, ...said];
}

/** Bytes that can be sent: by key, what a key stands for now; by `key#hash`, what it stood for once. */
export type Sizes = Map<string, TierItem>;

/**
 * The request an assignment becomes (S1 "Message Array Structure"): a tier's symbols and files in one block, its history as
 * it is, a mark at the end of each tier; then tree, files and history of the tail, and the prompt with its reminder.
 */
export function tieredRequest(assignment: TierAssignment, situation: Situation, sizes: Sizes): Request {
  const blocks: Block[] = [{ id: 'system', tokens: TOKENS.system }];
  const marks: number[] = [];
  for (const tier of TIER_KEYS) {
    const before = blocks.length;
    const keys = assignment.tiers[tier];
    appendRuns(blocks, keys, sizes);
    // The system prompt and what stands in L0 are one message.
    if (tier === 'L0' && keys[0]?.startsWith('history:') === false) blocks.splice(0, 3, joined(blocks.slice(0, 2)));
    const tokens = blocks.slice(tier === 'L0' ? 0 : before).reduce((sum, block) => sum + block.tokens, 0);
    if (tokens >= CACHE.minimum) marks.push(blocks.length - 1);
  }
  const selected = new Set(situation.selected);
  const tail = assignment.tail.filter(
    (key) => !key.startsWith('symbol:') || !selected.has(key.slice('symbol:'.length)),
  );
  appendRuns(blocks, tail.filter(isSymbol), sizes);
  blocks.push(situation.tree, { id: 'ok', tokens: TOKENS.acknowledgement });
  const active = tail.filter((key) => !isSymbol(key));
  appendRuns(blocks, active, sizes);
  // A mark that no tier needs.
  if (marks.length < CACHE.marks && active.length > 0) marks.push(blocks.length - 1);
  blocks.push({ id: `prompt ${situation.prompt.id}`, tokens: situation.prompt.tokens + TOKENS.reminder });
  return { blocks, marks };
}

/** Symbols and files that follow each other are one message, acknowledged; each message of the history is one. */
function appendRuns(blocks: Block[], keys: readonly ItemKey[], sizes: Sizes): void {
  let run: Block[] = [];
  const close = (): void => {
    if (run.length > 0) blocks.push(joined(run), { id: 'ok', tokens: TOKENS.acknowledgement });
    run = [];
  };
  for (const key of keys) {
    // A key of earlier bytes names their hash.
    const item = sizes.get(key);
    if (!item) throw new Error(`${key} is not there to be sent`);
    const block = { id: `${key.replace(/#.*/, '')} ${item.hash}`, tokens: item.tokens };
    if (!key.startsWith('history:')) run.push(block);
    else {
      close();
      blocks.push(block);
    }
  }
  close();
}

function joined(run: readonly Block[]): Block {
  return { id: run.map(({ id }) => id).join('\n'), tokens: run.reduce((sum, { tokens }) => sum + tokens, 0) };
}

/**
 * The flat layout: system prompt with the map of all files that are not selected, list of files, selected files,
 * history, prompt; no reminder, so that a prompt stays what it was.
 */
export function flatBlocks(situation: Situation, map: 'whole' | 'unselected' = 'unselected'): Block[] {
  const selected = new Set(map === 'whole' ? [] : situation.selected);
  const shown = [...situation.files].filter(([path, { symbolHash }]) => symbolHash !== '' && !selected.has(path));
  const symbols = shown.map(([path, { symbolHash, symbolTokens }]) => ({
    id: `${path} ${symbolHash}`,
    tokens: symbolTokens,
  }));
  const files = situation.selected.map((path) => ({
    id: `${path} ${situation.files.get(path)?.hash}`,
    tokens: situation.files.get(path)?.tokens ?? 0,
  }));
  return [
    joined([{ id: 'system', tokens: TOKENS.system }, ...symbols]),
    situation.tree,
    { id: 'ok', tokens: TOKENS.acknowledgement },
    joined(files),
    { id: 'ok', tokens: TOKENS.acknowledgement },
    ...[...situation.history, situation.prompt].map(({ id, tokens }) => ({ id: `said ${id}`, tokens })),
  ];
}
