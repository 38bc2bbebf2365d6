import type { ThreadId } from './ids.ts';

/**
 * What a stored database is checked for:
 * - `file`: it can be read, its pages and indexes are whole, and it is made as ours are: others are not written
 * - `rows`: every row belongs to a thread, and the tables agree with each other
 * - `E1` what was acknowledged is there, `E2` sequence numbers have no gaps, `E3` one terminal event and nothing after it,
 *   `E4` every `tool_call_start` has one `tool_call_result`, `E5` replay equals the reported state, `E6` no secret on disk
 * - `B1` to `B4`: the budget tree (its invariants stand in `src/store/ledger.ts`)
 * - `M1`: legal state edges only
 */
export type Invariant = 'file' | 'rows' | 'E1' | 'E2' | 'E3' | 'E4' | 'E5' | 'E6' | 'B1' | 'B2' | 'B3' | 'B4' | 'M1';

/** Something that does not hold. */
export type Finding = {
  readonly invariant: Invariant;
  /** The thread it is about; a number without a row is in the message alone. */
  readonly threadId?: ThreadId;
  /** The event it is about. */
  readonly sequence?: number;
  /** One sentence without secrets. */
  readonly message: string;
};

/** Something that was put right. */
export type Repair = { readonly threadId?: ThreadId; readonly message: string };
