import { toFailure } from '../core/errors.ts';
import type { Directive, ItemKind, KnowledgeItem, SpaceName, ToolItem } from '../core/item.ts';
import type { Capabilities } from './capability.ts';
import type { FileStamp } from './item-file.ts';
import { checkTrust, type ItemVerifier, type TrustPolicy } from './item-trust.ts';
import type { ParsedOf } from './parsed-item.ts';
import type { ParserRouter } from './parser-router.ts';
import { refuseSigned } from './refuse-signed.ts';
import type { ReadItem, Spaces } from './spaces.ts';

/** Parsed items by id. Each item is checked against its file at most once a second. */
export type ItemCache = {
  /**
   * An item with its fields, verified.
   *
   * @throws SkeinError `item_not_found`, `item_id_refused`, `item_too_large`, `invalid_item`, `signature_wrong`,
   * `item_unsigned`; without a verifier `not_available` if signed
   */
  parsed<Kind extends ItemKind>(kind: Kind, id: string, source?: SpaceName): ParsedOf<Kind>;
  /** @throws SkeinError as `parsed` */
  directive(id: string, source?: SpaceName): Directive;
  /** @throws SkeinError as `parsed` */
  tool(id: string, source?: SpaceName): ToolItem;
  /** @throws SkeinError as `parsed` */
  knowledge(id: string, source?: SpaceName): KnowledgeItem;
  /** What the trust policy says about an item that is used all the same. @throws SkeinError as `parsed` */
  remarks(kind: ItemKind, id: string, source?: SpaceName): readonly string[];
  /**
   * Every tool of the spaces that can be called, by id: files that declare a contract, without the runtimes and primitives
   * that run others. What can't be read is warned about and left out.
   */
  listTools(): readonly ToolItem[];
  /** The listed tools that may be executed. */
  toolsMatching(capabilities: Pick<Capabilities, 'allows'>): readonly ToolItem[];
};

/** What the cache needs from outside. */
export type ItemCacheOptions = {
  readonly router: Pick<ParserRouter, 'parse'>;
  /** Milliseconds; only differences count. */
  readonly now: () => number;
  /** Told once per reading what was ignored in an item, or why a listed tool is left out. */
  readonly onWarning?: (warning: { readonly message: string; readonly where: string }) => void;
  /** Checks signatures. Without it signed items are refused, since nothing says whether they are what was signed. */
  readonly verify?: ItemVerifier;
  /** Another number whenever `verify` may say something else than before, since other keys are trusted. */
  readonly keysRevision?: () => number;
  /** What to do about items that `verify` does not find trusted. Default: warn, and refuse them in the system space. */
  readonly policy?: TrustPolicy;
};

const CHECK_EVERY_MS = 1000;
const DEFAULT_POLICY: TrustPolicy = { project: 'warn', user: 'warn', system: 'strict' };

/** Makes a cache over the spaces. Holds what was asked for, which is at most what exists. */
export function createItemCache(spaces: Spaces, options: ItemCacheOptions): ItemCache {
  const { router, now, onWarning, keysRevision = () => 0 } = options;
  const load = <Kind extends ItemKind>(item: ReadItem & { readonly kind: Kind }): Verified<Kind> => {
    const remarks = checkSignature(item, options);
    const parsed = router.parse(item);
    for (const message of [...remarks, ...parsed.warnings]) onWarning?.({ message, where: item.stamp.file });
    return { parsed, remarks };
  };
  const readers = {
    directive: createReader({ spaces, now, keysRevision, kind: 'directive' }, load),
    tool: createReader({ spaces, now, keysRevision, kind: 'tool' }, load),
    knowledge: createReader({ spaces, now, keysRevision, kind: 'knowledge' }, load),
  };
  const listTools = createToolListing(spaces, options, (id) => readers.tool(id).parsed);
  return {
    // Each kind has a reader of that kind.
    parsed: <Kind extends ItemKind>(kind: Kind, id: string, source?: SpaceName) =>
      readers[kind](id, source).parsed as ParsedOf<Kind>,
    directive: (id, source) => readers.directive(id, source).parsed.value,
    tool: (id, source) => readers.tool(id, source).parsed.value,
    knowledge: (id, source) => readers.knowledge(id, source).parsed.value,
    remarks: (kind, id, source) => readers[kind](id, source).remarks,
    listTools,
    toolsMatching: (capabilities) => listTools().filter(({ id }) => capabilities.allows('execute', 'tool', id)),
  };
}

/** An item, and what the trust policy remarks on. */
type Verified<Kind extends ItemKind> = { readonly parsed: ParsedOf<Kind>; readonly remarks: readonly string[] };

function checkSignature(item: ReadItem, { verify, policy }: ItemCacheOptions): readonly string[] {
  if (verify !== undefined) return checkTrust(item, verify, policy ?? DEFAULT_POLICY);
  refuseSigned(item);
  return [];
}

function createToolListing(
  spaces: Spaces,
  { now, onWarning }: ItemCacheOptions,
  read: (id: string) => ParsedOf<'tool'>,
): () => readonly ToolItem[] {
  const leftOut = new Map<string, string>();
  return createListing({ now, list: () => spaces.list('tool') }, (ids) => {
    return ids.flatMap((id) => {
      try {
        const { value, declared } = read(id);
        return declared && !isLink(value) ? [value] : [];
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
}

/** Runtimes and primitives run tools and are none themselves. */
function isLink({ toolType }: ToolItem): boolean {
  return toolType === 'runtime' || toolType === 'primitive';
}

type Outcome<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: unknown };
type Entry<Value> = {
  readonly stamp: FileStamp;
  readonly keys: number;
  readonly outcome: Outcome<Value>;
  checkedAt: number;
};
type ReaderNeeds<Kind> = {
  readonly spaces: Spaces;
  readonly now: () => number;
  readonly keysRevision: () => number;
  readonly kind: Kind;
};

function createReader<Kind extends ItemKind, Value>(
  { spaces, now, keysRevision, kind }: ReaderNeeds<Kind>,
  parse: (item: ReadItem & { readonly kind: Kind }) => Value,
): (id: string, source?: SpaceName) => Value {
  const entries = new Map<string, Entry<Value>>();
  const load = (id: string, source?: SpaceName): Entry<Value> => {
    const key = `${source ?? ''}:${id}`;
    const entry = entries.get(key);
    const checkedAt = now();
    if (entry !== undefined && isRecent(entry.checkedAt, checkedAt)) return entry;
    const keys = keysRevision();
    if (entry?.keys === keys && isSameFile(entry.stamp, spaces.find(kind, id, source)?.stamp)) {
      entry.checkedAt = checkedAt;
      return entry;
    }
    entries.delete(key);
    const item = spaces.read(kind, id, source);
    const fresh = { stamp: item.stamp, keys, outcome: attempt(() => parse({ ...item, kind })), checkedAt };
    entries.set(key, fresh);
    return fresh;
  };
  return (id, source) => {
    const { outcome } = load(id, source);
    if (!outcome.ok) throw outcome.error;
    return outcome.value;
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
