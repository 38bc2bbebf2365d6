import { hash } from 'node:crypto';
import type {
  FileContext,
  HistoryMessage,
  HistoryStore,
  ItemKey,
  SymbolIndex,
  TierItem,
  TokenCounter,
} from '../../core/assembly.ts';
import { fileBlock } from './blocks.ts';
import { historyGroups } from './history-groups.ts';
import { TREE_KEY, treeText } from './tree-entries.ts';

/** Where the content of items comes from. */
export type TierSources = {
  readonly files: FileContext;
  readonly symbols: SymbolIndex;
  readonly history: HistoryStore;
};

/** An item as it is shown. Files and symbols have a text, groups of history their messages. */
export type RenderedItem = {
  readonly item: TierItem;
  readonly source: Source;
  readonly text: string;
  readonly messages: readonly HistoryMessage[];
};

/** What an item is rendered from. */
export type Source = { readonly text: string } | { readonly messages: readonly HistoryMessage[] };

/** Which items a session has. */
type ContentOptions = {
  readonly keepsCurrent: boolean;
  /** The list of all files is an item, too. */
  readonly isLog: boolean;
  /** Files that may stay although they are not selected. */
  readonly placedFiles: readonly string[];
};

/** The items of a session and what they are rendered from. */
export function* contents(
  { files, symbols, history }: TierSources,
  { keepsCurrent, isLog, placedFiles }: ContentOptions,
): Generator<[ItemKey, Source]> {
  const selected = new Set(files.selected());
  for (const path of new Set([...selected, ...(keepsCurrent ? placedFiles : [])])) {
    const text = files.content(path);
    if (text) yield [`file:${path}`, { text }];
  }
  for (const path of symbols.paths()) {
    const text = keepsCurrent || !selected.has(path) ? symbols.block(path) : undefined;
    if (text) yield [`symbol:${path}`, { text }];
  }
  if (isLog) yield [TREE_KEY, { text: treeText(files.tree(), files.isCut?.()) }];
  for (const messages of historyGroups(history.messages())) {
    const [first] = messages;
    if (first) yield [`history:${first.id}`, { messages }];
  }
}

/** Whether an item is what it was. A message with an id never changes, so a group is the same if its messages are. */
export function isSameSource(before: Source, now: Source): boolean {
  if ('text' in before) return 'text' in now && before.text === now.text;
  return 'messages' in now && sameLast(before.messages, now.messages);
}

function sameLast(before: readonly HistoryMessage[], now: readonly HistoryMessage[]): boolean {
  return before.length === now.length && before.at(-1)?.id === now.at(-1)?.id;
}

/** 132 bits: a policy's state, with a hash of every file, is in every checkpoint. */
function shortHash(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}

/** Renders, hashes and counts an item. */
export function renderItem(key: ItemKey, source: Source, counter: TokenCounter): RenderedItem {
  const messages = 'messages' in source ? source.messages : [];
  const text = 'text' in source ? shown(key, source.text) : JSON.stringify(messages.map(asSent));
  const tokens = messages.some(hasParts) ? countSaid(messages, counter) : counter.count(text);
  const item = { key, hash: shortHash(text), tokens };
  return { item, source, text: 'text' in source ? text : '', messages };
}

function shown(key: ItemKey, text: string): string {
  return key.startsWith('file:') ? fileBlock(key.slice('file:'.length), text) : text;
}

function hasParts(message: HistoryMessage): boolean {
  return message.role === 'user' && message.parts !== undefined;
}

/** The bytes of an image or a file are no text, and the texts among the parts of a message are its own. */
function countSaid(messages: readonly HistoryMessage[], { count, countMedia = () => 0 }: TokenCounter): number {
  const said = count(JSON.stringify(messages.map((message) => ({ ...asSent(message), parts: undefined }))));
  return messages.reduce((sum, message) => {
    const parts = message.role === 'user' ? message.parts : undefined;
    return parts ? sum + countMedia(parts) : sum;
  }, said);
}

/** Which message it is and where it stands is not sent. */
function asSent(message: HistoryMessage): object {
  return { ...message, id: undefined, index: undefined };
}
