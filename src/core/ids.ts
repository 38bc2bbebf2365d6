/** `thread-` and a UUIDv7 as 32 hex digits: sorts by creation time, unique without coordination. */
export type ThreadId = `thread-${string}`;

/** `approval-` and a UUIDv7 as 32 hex digits. */
export type ApprovalId = `approval-${string}`;

/** A thread's row number in the project's database: the key of every table, message and map. */
export type ThreadNo = number;

/** Source of randomness, injected so that a run can be repeated. */
export type RandomBytes = (size: number) => Uint8Array;

const THREAD_ID = /^thread-[0-9a-f]{32}$/;

/** Whether a string from outside has the form of a thread id. */
export function isThreadId(text: string): text is ThreadId {
  return THREAD_ID.test(text);
}

/** Makes thread ids. */
export function createThreadIds(now: () => number, randomBytes: RandomBytes): () => ThreadId {
  const next = createUuids(now, randomBytes);
  return () => `thread-${next()}`;
}

/** Makes approval ids. */
export function createApprovalIds(now: () => number, randomBytes: RandomBytes): () => ApprovalId {
  const next = createUuids(now, randomBytes);
  return () => `approval-${next()}`;
}

/** Random bytes are drawn in blocks, since one call per id costs more than the id. */
function createUuids(now: () => number, randomBytes: RandomBytes): () => string {
  const blockSize = 10 * 256;
  let block: Uint8Array = new Uint8Array(0);
  let offset = 0;
  return () => {
    if (offset + 10 > block.length) {
      block = randomBytes(blockSize);
      offset = 0;
    }
    const random = block.subarray(offset, offset + 10);
    offset += 10;
    return formatUuid(now(), random);
  };
}

function formatUuid(timeMs: number, random: Uint8Array): string {
  const bytes = Array.from(random, (byte) => byte.toString(16).padStart(2, '0'));
  const version = `7${bytes[0]?.[1]}${bytes[1]}`;
  const variant = ((random[2] ?? 0) & 0x3f) | 0x80;
  const time = timeMs.toString(16).padStart(12, '0');
  return `${time}${version}${variant.toString(16)}${bytes.slice(3).join('')}`;
}
