import type { ApiStatus } from './totals.ts';

/** `POST /api/threads/ID/cancel`; `tree`: with everything below it, whatever the child policy says. */
export type CancelRequest = { readonly tree?: boolean };

/** `POST /api/threads/ID/suspend`: it stops at its next step; `running` in the answer: that takes more than a second. */
export type SuspendRequest = Readonly<Record<string, never>>;

/** `POST /api/threads/ID/resume`: one that has ended goes on as another thread, which the answer names. */
export type ResumeRequest = {
  readonly message?: string;
  /** New maximums. */
  readonly limits?: {
    readonly turns?: number;
    readonly tokens?: number;
    readonly spend?: number;
    readonly spawns?: number;
    readonly duration_seconds?: number;
  };
};

/** `POST /api/threads/ID/fork`: another thread with its conversation up to the event `at`. */
export type ForkRequest = {
  readonly at: number;
  readonly inputs?: Readonly<Record<string, unknown>>;
};

/** Answer of cancel, suspend, resume and fork: the thread that it is about from now on, and how it stands. */
export type ActionAnswer = { readonly id: string; readonly status: ApiStatus };
