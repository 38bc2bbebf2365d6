import type { EndSignal } from './process-group.ts';
import type { VerifiedFile } from './unchanged-file.ts';

/** The process that is to be started. */
export type LaunchOrder = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Written to stdin, which is then closed. */
  readonly input: string;
  /** The tool's file; the process is not started if it has changed since. */
  readonly verified: VerifiedFile;
  /** Where the result comes from: `channel` is fd 3, so that prints cannot spoil it. */
  readonly resultOn: 'stdout' | 'channel';
  /** Largest result; prints beside it may be 16 times as long and are not kept. */
  readonly maxOutputBytes: number;
  /** Memory each process of the group may allocate; 0 = no limit. */
  readonly memoryLimitMb: number;
};

/** How a process ended. `printed` is the end of what went to stderr (and, with a channel, stdout). */
export type LaunchEnd =
  | { readonly kind: 'not_started'; readonly message: string }
  | { readonly kind: 'file_changed' }
  | { readonly kind: 'too_much_output'; readonly printed: string }
  | {
      readonly kind: 'exited';
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly result: string;
      readonly printed: string;
      /** It was sent a signal before it had ended. */
      readonly wasSignalled: boolean;
    };

/** What a launcher is told. Calls go by numbers. */
export type LaunchCommand =
  | { readonly type: 'start'; readonly call: number; readonly order: LaunchOrder }
  | { readonly type: 'signal'; readonly call: number; readonly signal: EndSignal }
  | { readonly type: 'close' };

/** What a launcher says: that a process has started, that a signal has been sent, and, once for each call, how it ended. */
export type LaunchReport =
  | { readonly type: 'started'; readonly call: number; readonly pid: number }
  | { readonly type: 'signalled'; readonly call: number }
  | { readonly type: 'ended'; readonly call: number; readonly end: LaunchEnd };
