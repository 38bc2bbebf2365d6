import type { ContentPart } from './content-part.ts';

/** Who speaks in a message of a prompt. */
export const PROMPTY_ROLES = ['system', 'user', 'assistant', 'developer'] as const;
/** One of {@link PROMPTY_ROLES}. */
export type PromptyRole = (typeof PROMPTY_ROLES)[number];

/** A message of a prompt. */
export type PromptyMessage = {
  readonly role: PromptyRole;
  readonly content: readonly ContentPart[];
  /** Attributes of its role line, such as `name`. */
  readonly metadata?: Readonly<Record<string, string>>;
};
