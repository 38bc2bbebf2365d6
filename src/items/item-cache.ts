import { SkeinError, toFailure, type Failure } from '../core/errors.ts';
import type { Directive, ItemKind, KnowledgeItem, SpaceName, ToolItem } from '../core/item.ts';
import { isChainLink } from './chain-link.ts';
import type { ItemStamp } from './item-file.ts';
import { checkTrust, type ItemVerifier, type TrustPolicy } from './item-trust.ts';
import type { ItemWarning } from './item-warning.ts';
import { keepLast } from './keep-last.ts';
import { MAX_KEPT_ITEMS, parseOnce } from './parse-once.ts';
import type { ParsedOf } from './parsed-item.ts';
import type { ParserRouter } from './parser-router.ts';
import { remarkOnTools } from './tool-remarks.ts';
import type { ReadItem, Spaces } from './spaces.ts';

/** Parsed items by id. Each item is checked against its file at most once a second. */
export type ItemCache = {
  /**
   * An item with its fields, verified.
   *
   * @throws SkeinError `item_not_found`, `item_id_refused`, `item_too_large`, `invalid_item`, `signature_wrong`,
   * `item_unsigned`
   */
  parsed<Kind extends ItemKind>(kind: Kind, id: string, source?: SpaceName): ParsedOf<Kind>;
  /** @throws SkeinError as `parsed` */
  directive(id: string, source?: SpaceName): Directive;
  /** @throws SkeinError as `parsed`, `invalid_item` also for a file that states no contract: it is no tool */
  tool(id: string, source?: SpaceName): ToolItem;
  /** @throws SkeinError as `parsed` */
  knowledge(id: string, source?: SpaceName): KnowledgeItem;
  /** What the trust policy says about an item that is used all the same. @throws SkeinError as `parsed` */
  remarks(kind: ItemKind, id: string, source?: SpaceName): readonly string[];
  /**
   * Every tool of the spaces that can be called, by id: files that declare a contract, without the runtimes and primitives
   * that run others.
   */
  listTools(): readonly ToolItem[];
  /** What `listTools` leaves out since it can't be used. */
  leftOutTools(): readonly LeftOutTool[];
  /** Says that the item's file has just changed: it is looked at again at once, in whatever space it is. */
  forget(kind: ItemKind, id: string): void;
};

/** A tool that can't be used, and why. */
export type LeftOutTool = { readonly id: string; readonly failure: Failure };

/** What the cache needs from outside. */
export type ItemCacheOptions = {
  readonly router: Pick<ParserRouter, 'parse'>;
  /** Milliseconds since the epoch, as the times of files. */
  readonly now: () => number;
  /** Told what nobody asks for: see {@link ItemWarning}. What the trust policy remarks on is asked for with `remarks`. */
  readonly onWarning?: (warning: ItemWarning) => void;
  /** Checks signatures. */
  readonly verify: ItemVerifier;
  /** Another number whenever `verify` may say something else than before, since other keys are trusted. */
  readonly keysRevision: () => number;
  /** What to do about items that `verify` does not find trusted. */
  readonly policy: TrustPolicy;
  /** How many items of each kind are held for each space that is asked for; default 10,000. */
  readonly maxItems?: number;
};

/** A file changed so shortly before it was read may change again under the same stamp: some file systems count seconds. */
const STAMP_STEP_MS = 2000;

const CHECK_EVERY_MS = 1000;

/** Makes a cache over the spaces. Holds what was asked for, also what is gone since, up to `maxItems`: the oldest goes first. */
export function createItemCache(spaces: Spaces, options: ItemCacheOptions): ItemCache {
  const { onWarning, verify, policy, maxItems = MAX_KEPT_ITEMS } = options;
  const parse = parseOnce(options.router, maxItems);
  const load = <Kind extends ItemKind>(item: ReadItem & { readonly kind: Kind }): Verified<Kind> => {
    const remarks = checkTrust(item, verify, policy);
    const parsed = parse(item);
    for (const message of parsed.warnings)
      onWarning?.({ code: 'invalid_item', message, where: { file: item.stamp.file } });
    return { parsed, remarks };
  };
  const age = createAge(options);
  const readers = {
    directive: createReader({ spaces, age, maxItems, kind: 'directive' }, load),
    tool: createReader({ spaces, age, maxItems, kind: 'tool' }, load),
    knowledge: createReader({ spaces, age, maxItems, kind: 'knowledge' }, load),
  };
  const tools = createToolListing({ ...options, spaces, age }, (id) => readers.tool.read(id));
  return {
    // Each kind has a reader of that kind.
    parsed: <Kind extends ItemKind>(kind: Kind, id: string, source?: SpaceName) =>
      readers[kind].read(id, source).parsed as ParsedOf<Kind>,
    directive: (id, source) => readers.directive.read(id, source).parsed.value,
    tool: (id, source) => declaredTool(readers.tool.read(id, source).parsed),
    knowledge: (id, source) => readers.knowledge.read(id, source).parsed.value,
    remarks: (kind, id, source) => readers[kind].read(id, source).remarks,
    listTools: () => tools.list().tools,
    leftOutTools: () => tools.list().leftOut,
    forget(kind, id) {
      readers[kind].forget(id);
      if (kind === 'tool') tools.forget();
    },
  };
}

/** What tools share, such as a helper module, is run by nobody. */
function declaredTool({ id, extension, file, declared, value }: ParsedOf<'tool'>): ToolItem {
  if (declared) return value;
  throw new SkeinError('invalid_item', `${id}${extension} says nothing that makes it a tool`, { where: { file } });
}

/** An item, and what the trust policy remarks on. */
type Verified<Kind extends ItemKind> = { readonly parsed: ParsedOf<Kind>; readonly remarks: readonly string[] };

/** When something was looked at, and which keys were trusted then. */
type Age = { readonly at: number; readonly keys: number };

type AgeCheck = {
  now(): Age;
  /** Whether that is so short a time ago that it still counts. A clock that went backwards keeps nothing alive. */
  isRecent(seen: Age): boolean;
};

function createAge({ now, keysRevision }: ItemCacheOptions): AgeCheck {
  return {
    now: () => ({ at: now(), keys: keysRevision() }),
    isRecent({ at, keys }) {
      const past = now() - at;
      return past >= 0 && past < CHECK_EVERY_MS && keys === keysRevision();
    },
  };
}

type ListingNeeds = { readonly spaces: Spaces; readonly age: AgeCheck } & Pick<ItemCacheOptions, 'onWarning'>;
type Listing = { readonly tools: readonly ToolItem[]; readonly leftOut: readonly LeftOutTool[] };

function createToolListing({ spaces, age, onWarning }: ListingNeeds, read: (id: string) => Verified<'tool'>) {
  const remark = remarkOnTools(onWarning);
  let last: (Listing & { readonly seen: Age }) | undefined;
  const readTools = (): Listing => {
    const leftOut: LeftOutTool[] = [];
    const found = spaces.list('tool').flatMap((id) => {
      try {
        const tool = read(id);
        return tool.parsed.declared ? [tool] : [];
      } catch (error) {
        leftOut.push({ id, failure: toFailure(error) });
        return [];
      }
    });
    remark(found.map(({ parsed, remarks }) => ({ space: parsed.space, isTrusted: remarks.length === 0 })));
    return { tools: found.map(({ parsed }) => parsed.value).filter((tool) => !isChainLink(tool)), leftOut };
  };
  return {
    list(): Listing {
      if (last === undefined || !age.isRecent(last.seen)) {
        const seen = age.now();
        last = { ...readTools(), seen };
      }
      return last;
    },
    forget(): void {
      last = undefined;
    },
  };
}

type Outcome<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: unknown };
type Entry<Value> = {
  readonly stamp: ItemStamp;
  readonly sha256: string;
  readonly outcome: Outcome<Value>;
  /** Whether another change would give the file another stamp. */
  readonly isSettled: boolean;
  seen: Age;
};
type ReaderNeeds<Kind> = {
  readonly spaces: Spaces;
  readonly age: AgeCheck;
  readonly maxItems: number;
  readonly kind: Kind;
};

function createReader<Kind extends ItemKind, Value>(
  { spaces, age, maxItems, kind }: ReaderNeeds<Kind>,
  parse: (item: ReadItem & { readonly kind: Kind }) => Value,
) {
  const newEntries = (): Map<string, Entry<Value>> => new Map();
  const bySource = { first: newEntries(), project: newEntries(), user: newEntries(), system: newEntries() };
  const load = (id: string, source?: SpaceName): Entry<Value> => {
    const entries = bySource[source ?? 'first'];
    const entry = entries.get(id);
    // Every thread that starts asks for some: what is recent costs one look.
    if (entry !== undefined && age.isRecent(entry.seen)) return entry;
    const seen = age.now();
    const known = entry?.seen.keys === seen.keys ? entry : undefined;
    if (known?.isSettled && isSameFile(known.stamp, spaces.find(kind, id, source)?.stamp)) {
      known.seen = seen;
      return known;
    }
    entries.delete(id);
    const item = spaces.read(kind, id, source);
    const { stamp, sha256 } = item;
    const isSame = known?.sha256 === sha256 && isSameFile(known.stamp, stamp);
    const outcome = isSame ? known.outcome : attempt(() => parse({ ...item, kind }));
    const fresh = { stamp, sha256, outcome, isSettled: isSettled(stamp, seen), seen };
    keepLast(entries, { key: id, value: fresh, max: maxItems });
    return fresh;
  };
  return {
    read(id: string, source?: SpaceName): Value {
      const { outcome } = load(id, source);
      if (!outcome.ok) throw outcome.error;
      return outcome.value;
    },
    forget(id: string): void {
      for (const entries of Object.values(bySource)) entries.delete(id);
    },
  };
}

/** A file that can't be used is not read again until it, or the keys that are trusted, change. */
function attempt<Value>(parse: () => Value): Outcome<Value> {
  try {
    return { ok: true, value: parse() };
  } catch (error) {
    return { ok: false, error };
  }
}

function isSettled({ mtimeMs, ctimeMs }: ItemStamp, { at }: Age): boolean {
  return Math.max(mtimeMs, ctimeMs) <= at - STAMP_STEP_MS;
}

function isSameFile(known: ItemStamp, found: ItemStamp | undefined): boolean {
  return (
    found !== undefined &&
    known.file === found.file &&
    known.size === found.size &&
    known.mtimeMs === found.mtimeMs &&
    known.ctimeMs === found.ctimeMs &&
    known.inode === found.inode
  );
}
