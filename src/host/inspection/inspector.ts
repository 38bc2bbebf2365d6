import type { RelayCounts } from '../../core/inspection.ts';
import type { InspectChoice } from './inspect-options.ts';

/** The way into the machines of a runtime that was started with `inspect`. */
export interface Inspector {
  /** Where a receiver of `@statelyai/inspect` connects: `ws://127.0.0.1:PORT/?token=…`. Who has it may look on. */
  readonly url: string;
  /** The page with Stately's inspector, if `stately` was asked for. */
  readonly page: string | undefined;
  /** From now on these threads are looked at, and no others. @throws SkeinError `invalid_argument` */
  attach(choice: InspectChoice): void;
  /** Viewers, messages sent to them, and messages dropped since a viewer did not take them. */
  counts(): RelayCounts;
}
