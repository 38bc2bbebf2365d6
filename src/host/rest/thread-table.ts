import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Ending } from '../../core/ending.ts';
import type { Failure } from '../../core/errors.ts';
import type { SuspendReason } from '../../core/events.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { Cost } from '../../core/limits.ts';
import type { ApprovalDecision } from '../../core/store-approvals.ts';
import type { Lineage, PackedSpec, SpecText } from '../../core/protocol.ts';
import type { Absence } from '../workers/absence.ts';
import type { Apart } from '../workers/crew.ts';
import { createEntryMap, type Reference } from './entry-map.ts';
import { createHeirs, type BelowParent } from '../endings/heirs.ts';
import type { OpenWait } from '../waits/open-wait.ts';
import { createResting } from './resting.ts';
import { ROOT_OWNER } from '../admission/slots.ts';

/** Where a thread stands in the host's eyes. */
export type Phase =
  /** The store is writing its row. */
  | 'admitting'
  /** Waits for a slot, to start or to be resumed. */
  | 'queued'
  /** Holds a slot. */
  | 'running'
  /** Waits for children without a slot. */
  | 'waiting'
  | 'suspended'
  | 'ended';

/** How a thread is put into a worker when its turn comes. */
export type StartOrder = { readonly kind: 'start'; readonly spec: SpecText } | { readonly kind: 'resume' };

/** How a thread ends that is in no worker: queued, suspended, or one that could not be set up. */
export type ParkedEnd = {
  readonly status: 'cancelled' | 'error';
  readonly failure: Failure;
  /** A person's answer that it ends by, and what the person says to it. */
  readonly decision?: ApprovalDecision;
  readonly comment?: string;
};

/** What the host knows of a thread that is not forgotten yet. */
export type ThreadEntry = {
  readonly lineage: Lineage;
  /** Empty for one that was just made of a row. */
  directive: string;
  /** Its parent, as it was found: in memory for as long as this one is. */
  above: ThreadEntry | undefined;
  /** The children that its questions have spawned, by the question's worker and number, while an answer may be on its way. */
  asked: Map<string, ThreadNo> | undefined;
  phase: Phase;
  /** Index of its worker; -1 while it has none. */
  worker: number;
  order: StartOrder | undefined;
  /** It stands in the line for slots; its turn has not come. */
  inLine: boolean;
  /** How many threads its subtree may hold, and holds or has held. */
  spawnLimit: number;
  treeSpawned: number;
  /** Children that have not ended, and ended ones with threads below them that have not. */
  children: Set<ThreadNo> | undefined;
  /** Children that have not ended. */
  liveChildren: number;
  ending: Ending | undefined;
  /** What its caller checks its outputs by; it goes with the caller's handles, which hold the entry. */
  outputSchema: StandardSchemaV1 | undefined;
  suspendReason: SuspendReason | undefined;
  /** What it had used when it was last suspended or away, or its worker was lost. */
  lastCost: Cost | undefined;
  cancelReason: string | undefined;
  /** Who took over from it. */
  successor: ThreadEntry | undefined;
  /** It is to hand over when it is in a worker. */
  handOverAsked: boolean;
  /** Number under which its children stand in line: its own, or that of the first of its chain. */
  family: ThreadNo;
  /** Number of its parent's family, with which it stands in line; 0 for a root. */
  owner: ThreadNo;
  /** Numbers of those whose children are its own, since it took over from them. */
  heirOf: readonly ThreadNo[];
  /** It was told to suspend, while it runs or is being resumed, and has not been suspended yet. */
  suspendAsked: SuspendReason | undefined;
  /** The store is asked for what its resumption needs. */
  resuming: boolean;
  /** Answers to give when it holds a slot again. */
  returning: (() => void)[] | undefined;
  /** Called once it has ended or been suspended, or with what kept that from being written. */
  waiters: Set<(failure?: Failure) => void> | undefined;
  joining: boolean;
  /** It is in no worker, and ends like this once its children have ended (child policy `wait`). */
  heldEnd: ParkedEnd | undefined;
  /** Its waits for others that have not been answered. */
  openWaits: Set<OpenWait> | undefined;
  /** It leaves or has left its worker while it waits. */
  absence: Absence | undefined;
  /** With whom it runs apart from all others, since one of them may have killed its worker. */
  apart: Apart | undefined;
  /** Workers that were lost while it was alone in them. */
  lostAlone: number;
};

/**
 * The threads the host knows: those that run or wait, recent endings, and suspended or queued ones that somebody holds.
 *
 * Invariants:
 * 1. A thread has one entry at a time, for as long as anybody holds it.
 * 2. What no row says is in an entry that is kept.
 * 3. A thread's parent is in memory while the thread is.
 */
export interface ThreadTable {
  /** Adds a thread; one that its parent knows as its child already was let go of and is read back. */
  add(lineage: Lineage, spec: PackedSpec | undefined): ThreadEntry;
  /** Holds an entry: it is about to have what no row says. */
  keep(entry: ThreadEntry): void;
  /** Lets go of an entry if all there is to know of it can be read back. */
  rest(entry: ThreadEntry): void;
  /** Whether a thread was let go of while it stood in line for a slot. */
  isInLine(thread: ThreadNo): boolean;
  /** The numbers of those. */
  inLine(): Iterable<ThreadNo>;
  /** The thread whose turn has come; read back if it was let go of. */
  takeFromLine(thread: ThreadNo): ThreadEntry | undefined;
  /** As `get`; one that was let go of is read back. */
  recall(thread: ThreadNo): ThreadEntry | undefined;
  get(thread: ThreadNo): ThreadEntry | undefined;
  byId(id: string): ThreadEntry | undefined;
  /** Adds the thread that takes over from one, with the children of that, and what it is suspected of. */
  succeed(entry: ThreadEntry, lineage: Lineage): ThreadEntry;
  /** Has a thread that is there take over from another one: its children, and what its subtree may hold. */
  inherit(heir: ThreadEntry, entry: ThreadEntry): void;
  parentOf(entry: BelowParent): ThreadEntry | undefined;
  /** Children that have not ended, and ended ones with threads below them that have not; read back if need be. */
  childrenOf(entry: ThreadEntry): ThreadEntry[];
  /** Takes an ended thread out of its parent's live children. */
  leaveParent(entry: ThreadEntry): void;
  forget(entry: ThreadEntry): void;
  /** Those in memory. */
  live(): Iterable<ThreadEntry>;
  size(): number;
}

/** How a table gets at threads that it has let go of. */
export type Recollection = {
  /** Reads a thread back, and adds it to the table. Without it, a table lets go of nobody. */
  readonly readBack?: (thread: ThreadNo) => ThreadEntry | undefined;
  /** Refers to an entry without holding it; default: a `WeakRef`. */
  readonly referTo?: (entry: ThreadEntry) => Reference;
};

/** Makes an empty table. */
export function createThreadTable({
  readBack,
  referTo = (entry) => new WeakRef(entry),
}: Recollection = {}): ThreadTable {
  const entries = createEntryMap(referTo);
  const { forget: forgetPlace, ...resting } = createResting(entries, readBack);
  const heirs = createHeirs(entries);
  const parentOf = (entry: BelowParent): ThreadEntry | undefined => heirs.parentOf(entry);
  const put = (entry: ThreadEntry): ThreadEntry => {
    const { thread } = entry.lineage;
    entries.keep(entry);
    const parent = parentOf(entry);
    if (!parent) return entry;
    entry.above = parent;
    entry.owner = parent.family;
    const isRead = parent.children?.has(thread) ?? false;
    (parent.children ??= new Set()).add(thread);
    if (!isRead) parent.liveChildren++;
    return entry;
  };

  return {
    add: (lineage, spec) => put(newEntry(lineage, spec)),
    succeed(entry, lineage) {
      const heir = put({ ...newEntry(lineage, undefined), directive: entry.directive });
      heir.spawnLimit = entry.spawnLimit;
      heir.treeSpawned = entry.treeSpawned;
      heir.apart = entry.apart;
      heir.lostAlone = entry.lostAlone;
      heir.outputSchema = entry.outputSchema;
      heirs.inherit(heir, entry);
      return heir;
    },
    inherit: (heir, entry) => heirs.inherit(heir, entry),
    ...resting,
    get: (thread) => entries.get(thread),
    byId: (id) => entries.byId(id),
    parentOf,
    // Reading one back may add to the others.
    childrenOf: ({ children }) => [...(children ?? [])].flatMap((thread) => resting.recall(thread) ?? []),
    leaveParent(entry) {
      const parent = parentOf(entry);
      if (parent) parent.liveChildren--;
      // A thread stays below its parent for as long as something lives below itself.
      for (let leaf: ThreadEntry | undefined = entry; leaf && !leaf.children?.size;) {
        const above: ThreadEntry | undefined = parentOf(leaf);
        above?.children?.delete(leaf.lineage.thread);
        leaf = above?.phase === 'ended' ? above : undefined;
      }
    },
    forget(entry) {
      entries.delete(entry);
      forgetPlace(entry.lineage.thread);
      entry.above = undefined;
      heirs.forget(entry);
    },
    live: () => entries.values(),
    size: () => entries.size(),
  };
}

/** What most threads have none of. */
const NONE: readonly never[] = [];

/** What is known of a thread at first. */
export function newEntry(lineage: Lineage, spec: PackedSpec | undefined): ThreadEntry {
  return {
    lineage,
    directive: spec?.directive ?? '',
    above: undefined,
    asked: undefined,
    phase: 'admitting',
    worker: -1,
    order: spec && { kind: 'start', spec: { shared: spec.shared, own: spec.own } },
    inLine: false,
    spawnLimit: spec?.spawns ?? 0,
    treeSpawned: 0,
    children: undefined,
    liveChildren: 0,
    ending: undefined,
    outputSchema: undefined,
    suspendReason: undefined,
    lastCost: undefined,
    cancelReason: undefined,
    successor: undefined,
    handOverAsked: false,
    family: lineage.thread,
    owner: lineage.parent ?? ROOT_OWNER,
    heirOf: NONE,
    suspendAsked: undefined,
    resuming: false,
    returning: undefined,
    waiters: undefined,
    joining: false,
    heldEnd: undefined,
    openWaits: undefined,
    absence: undefined,
    apart: undefined,
    lostAlone: 0,
  };
}
