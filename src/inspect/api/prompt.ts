/** `GET /api/threads/ID/prompt`: what its model was sent at the start, by where it is from. */
export type PromptAnswer = {
  readonly id: string;
  readonly parts: readonly PromptPart[];
};

/** A part of the first messages. */
export type PromptPart = {
  readonly role: 'system' | 'user' | 'developer' | 'tool';
  readonly text: string;
  /** Of the whole text, characters. */
  readonly length: number;
  /** The text is cut, and says by how much. The whole is at `GET /api/threads/ID/events/SEQUENCE`. */
  readonly cut?: true;
  /** Ids of hooks, directives or items it was put together from, in order; empty: the event does not tell. */
  readonly sources: readonly PromptSource[];
  readonly sequence: number;
};

/** `layer`: of the system prompt; `before` and `after`: context around the instruction. */
export type PromptSource = {
  readonly kind: 'layer' | 'before' | 'directive' | 'after';
  readonly id: string;
};
