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

/** Random bytes of an id. */
const ID_BYTES = 10;

/** Random bytes are drawn, and written out as digits, in blocks: one call per id costs more than the id. */
function createUuids(now: () => number, randomBytes: RandomBytes): () => string {
  let block = '';
  let offset = 0;
  return () => {
    if (offset === block.length) {
      block = Buffer.from(randomBytes(256 * ID_BYTES)).toString('hex');
      offset = 0;
    }
    const digits = block.slice(offset, offset + 2 * ID_BYTES);
    offset += digits.length;
    return formatUuid(now(), digits);
  };
}

/** Of the random digits, the first and two bits of the fifth give way to version and variant. */
function formatUuid(timeMs: number, digits: string): string {
  const time = timeMs.toString(16).padStart(12, '0');
  const variant = ((Number.parseInt(digits.charAt(4), 16) & 0x3) | 0x8).toString(16);
  return `${time}7${digits.slice(1, 4)}${variant}${digits.slice(5)}`;
}
