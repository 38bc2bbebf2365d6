import type { ProjectAnswer } from '../../api.ts';
import { emptyTree, type TreeState } from '../model/tree-state.ts';
import type { Transcript } from '../model/transcript.ts';
import type { ConnectionState } from './live-connection.ts';

/** What the page knows of the project. */
export type PageState = {
  readonly connection: ConnectionState;
  /** Messages that the server did not send because this page was too slow, all in all. */
  readonly dropped: number;
  readonly project: ProjectAnswer | undefined;
  readonly tree: TreeState;
  /** The log of the open thread. */
  readonly transcript: Transcript | undefined;
  /** Grow with every change of the open thread, and of anything at all: what is read of them is to be read again. */
  readonly threadVersion: number;
  readonly version: number;
  /** The last action that was not done, or what came of it. */
  readonly notice: Notice | undefined;
};

/** Something to tell the person at the page. */
export type Notice = { readonly tone: 'good' | 'bad'; readonly text: string };

/** At the beginning. */
export const UNKNOWN: PageState = {
  connection: { kind: 'connecting' },
  dropped: 0,
  project: undefined,
  tree: emptyTree(),
  transcript: undefined,
  threadVersion: 0,
  version: 0,
  notice: undefined,
};
