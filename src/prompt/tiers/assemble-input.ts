import type { TierKey } from '../../core/assembly.ts';
import type { CacheLimits } from './marks.ts';

/** What a prompt is assembled from. `Native` is the form of the history's messages. Absent and empty parts are left out. */
export type AssemblyInput<Native> = {
  /** `system.md`, `system_extra.md` and what else heads the prompt, as one text. */
  readonly systemPrompt: string;
  /** How symbol blocks are read. */
  readonly symbolLegend?: string;
  /** Blocks of all files that are shown nowhere else. */
  readonly symbolMap?: string;
  /** Made by `fileTree`. */
  readonly fileTree?: string;
  /** Made by `urlBlocks`. */
  readonly urlContext?: string;
  /** Made by `reviewBlock`. */
  readonly reviewContext?: string;
  /** Blocks of the files that stand in no tier. */
  readonly activeFiles?: string;
  /** The messages that stand in no tier. */
  readonly activeHistory?: readonly Native[];
  /** What the user says now; absent where the history ends with what is to be answered. */
  readonly userPrompt?: string;
  /** `system_reminder.md`: the end of the prompt; not stored with it. */
  readonly systemReminder?: string;
};

/** What a tier has (S1 "Tiered Assembly Data Flow", step 2). */
export type TierContent<Native> = {
  readonly symbols?: string;
  /** The list of all files, or what has changed of it, with its header; in a tier that is a log. */
  readonly fileTree?: string;
  readonly files?: string;
  readonly history?: readonly Native[];
  /** Blocks and messages that come after that history, in a tier that is a log. */
  readonly more?: readonly Omit<TierContent<Native>, 'more' | 'tokens'>[];
  /** Tokens of all that, if they are known. */
  readonly tokens?: number;
};

/** What a prompt in tiers is assembled from. */
export type TieredInput<Native> = AssemblyInput<Native> & {
  readonly tieredContent: Readonly<Partial<Record<TierKey, TierContent<Native>>>>;
  /** Absent: every tier gets a mark. */
  readonly cacheLimits?: CacheLimits;
  /**
   * Whether a mark stands at the end of what no tier holds, before the prompt. S1 has none there; it pays where the rest stays
   * as it is for several turns. It counts as the last one: of too many, the first tier's is left out. `messages`: where the rest
   * is messages alone, which a log takes in with the next turn, where they stand.
   */
  readonly marksTail?: boolean | 'messages';
  /** Tokens of a text; by default a quarter of its length. Images and the like are not counted. */
  readonly countTokens?: (text: string) => number;
  /**
   * Tokens of what is sent in front of all items, if they are known: the declarations of tools, which providers put in front
   * of the system prompt, that, and the legend. By default the latter two are counted.
   */
  readonly headTokens?: number;
  /** Tokens of what stands in no tier, without the prompt, if they are known. */
  readonly tailTokens?: number;
};
