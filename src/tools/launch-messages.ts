import type { EndSignal } from './process-group.ts';
import type { LaunchEnd, ProcessOrder } from './tool-process.ts';

/** What a launcher is told, of calls by their number. */
export type LaunchCommand =
  | { readonly type: 'start'; readonly call: number; readonly order: ProcessOrder }
  | { readonly type: 'signal'; readonly call: number; readonly signal: EndSignal };

/** What a launcher says: of each call that it has started, and once how it ended. */
export type LaunchReport =
  | { readonly type: 'started'; readonly call: number; readonly pid: number }
  | { readonly type: 'ended'; readonly call: number; readonly end: LaunchEnd };
