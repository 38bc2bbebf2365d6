import type { Directive, ItemKind, KnowledgeItem, SpaceName, ToolItem } from '../core/item.ts';
import { toFailure } from '../core/errors.ts';
import type { Capabilities } from './capability.ts';
import { parseDirective } from './directive-parser.ts';
import type { FileStamp } from './item-file.ts';
import { parseKnowledge } from './knowledge.ts';
import { refuseSigned } from './refuse-signed.ts';
import type { FoundItem, ReadItem, Spaces } from './spaces.ts';
import { readToolContract, type ToolReading } from './tool-contract.ts';

/** Parsed items by id. Each item is checked against its file at most once a second. */
export type ItemCache = {
  /** @throws SkeinError `item_not_found`, `item_id_refused`, `item_too_large`, `invalid_item`, `not_available` if signed */
  directive(id: string, source?: SpaceName): Directive;
  /** @throws SkeinError as `directive` */
  tool(id: string, source?: SpaceName): ToolItem;
  /** @throws SkeinError as `directive` */
  knowledge(id: string, source?: SpaceName): KnowledgeItem;
  /** Every file of the spaces that declares a tool contract, by id; what can't be read is warned about and left out. */
  listTools(): readonly ToolItem[];
  /** The listed tools that may be executed. */
  toolsMatching(capabilities: Pick<Capabilities, 'allows'>): readonly ToolItem[];
};

/** What the cache needs from outside. */
export type ItemCacheOptions = {
  /** Milliseconds; only differences count. */
  readonly now: () => number;
  /** Told once per reading what was ignored in an item, or why a listed tool is left out. */
  readonly onWarning?: (warning: { readonly message: string; readonly where: string }) => void;
};

const CHECK_EVERY_MS = 1000;

/** Makes a cache over the spaces. Holds what was asked for, which is at most what exists. */
export function createItemCache(spaces: Spaces, { now, onWarning }: ItemCacheOptions): ItemCache {
  const warnAbout = (item: FoundItem, warnings: readonly string[]): void => {
    for (const message of [...item.warnings, ...warnings]) onWarning?.({ message, where: item.stamp.file });
  };
  const cached = <Value>(kind: ItemKind, parse: (item: ReadItem) => Value) =>
    createReader({ spaces, now, kind }, (item) => {
      refuseSigned(item);
      return parse(item);
    });
  const directive = cached('directive', (item) => {
    const parsed = parseDirective(item.text, { id: item.id, file: item.stamp.file });
    warnAbout(item, parsed.warnings);
    return parsed;
  });
  const tool = cached('tool', (item): ToolReading => {
    const read = readToolContract(item.text, { ...pick(item), extension: item.extension });
    warnAbout(item, read.warnings);
    return read;
  });
  const knowledge = cached('knowledge', (item) => {
    warnAbout(item, []);
    return parseKnowledge(item.text, pick(item));
  });
  const leftOut = new Map<string, string>();
  const listTools = createListing({ now, list: () => spaces.list('tool') }, (ids) => {
    return ids.flatMap((id) => {
      try {
        const { tool: item, declared } = tool(id);
        return declared ? [item] : [];
      } catch (error) {
        const { message, where } = toFailure(error);
        if (leftOut.get(id) !== message) {
          onWarning?.({ message: `tool "${id}" is left out: ${message}`, where: where?.file ?? id });
        }
        leftOut.set(id, message);
        return [];
      }
    });
  });
  return {
    directive,
    tool: (id, source) => tool(id, source).tool,
    knowledge,
    listTools,
    toolsMatching: (capabilities) => listTools().filter(({ id }) => capabilities.allows('execute', 'tool', id)),
  };
}

function pick({ id, space, stamp }: FoundItem): { id: string; file: string; space: SpaceName } {
  return { id, file: stamp.file, space };
}

type Outcome<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: unknown };
type Entry<Value> = { readonly stamp: FileStamp; readonly outcome: Outcome<Value>; checkedAt: number };
type ReaderNeeds = { readonly spaces: Spaces; readonly now: () => number; readonly kind: ItemKind };

function createReader<Value>(
  { spaces, now, kind }: ReaderNeeds,
  parse: (item: ReadItem) => Value,
): (id: string, source?: SpaceName) => Value {
  const entries = new Map<string, Entry<Value>>();
  const load = (id: string, source?: SpaceName): Entry<Value> => {
    const key = `${source ?? ''}:${id}`;
    const entry = entries.get(key);
    const checkedAt = now();
    if (entry !== undefined && isRecent(entry.checkedAt, checkedAt)) return entry;
    if (entry !== undefined && isSameFile(entry.stamp, spaces.find(kind, id, source)?.stamp)) {
      entry.checkedAt = checkedAt;
      return entry;
    }
    entries.delete(key);
    const item = spaces.read(kind, id, source);
    const fresh = { stamp: item.stamp, outcome: attempt(() => parse(item)), checkedAt };
    entries.set(key, fresh);
    return fresh;
  };
  return (id, source) => {
    const { outcome } = load(id, source);
    if (!outcome.ok) throw outcome.error;
    return outcome.value;
  };
}

/** A file that can't be parsed is not parsed again until it changes. */
function attempt<Value>(parse: () => Value): Outcome<Value> {
  try {
    return { ok: true, value: parse() };
  } catch (error) {
    return { ok: false, error };
  }
}

function createListing<Value>(
  { now, list }: { readonly now: () => number; readonly list: () => readonly string[] },
  read: (ids: readonly string[]) => Value,
): () => Value {
  let last: { readonly value: Value; readonly at: number } | undefined;
  return () => {
    const time = now();
    if (last === undefined || !isRecent(last.at, time)) last = { value: read(list()), at: time };
    return last.value;
  };
}

/** A clock that went backwards does not keep an old entry alive. */
function isRecent(checkedAt: number, time: number): boolean {
  return time >= checkedAt && time - checkedAt < CHECK_EVERY_MS;
}

function isSameFile(known: FileStamp, found: FileStamp | undefined): boolean {
  return (
    found !== undefined &&
    known.file === found.file &&
    known.size === found.size &&
    known.mtimeMs === found.mtimeMs &&
    known.ctimeMs === found.ctimeMs &&
    known.inode === found.inode
  );
}
