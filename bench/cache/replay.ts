import type { TierEvent } from '../../src/core/assembly.ts';
import { compactionSpan, historyReplaced } from '../../src/prompt/tiers/compaction.ts';
import { SESSION, TOKENS } from './constants.ts';
import { costOf, ProviderCache, type Request } from './provider-cache.ts';
import type { Change, FileVersion, Session } from './session.ts';
import { sized } from './sources.ts';

/** A message of the history. */
export type Said = { readonly id: string; readonly role: 'user' | 'assistant'; readonly tokens: number };

/** What is to be sent in one turn. */
export type Situation = {
  /** The list of all files, each as a text that has its size. */
  readonly tree: readonly string[];
  readonly files: ReadonlyMap<string, FileVersion>;
  /** Selected files that exist, the longest selected first. */
  readonly selected: readonly string[];
  readonly history: readonly Said[];
  readonly prompt: Said;
  /** Since the turn before. */
  readonly events: readonly TierEvent[];
  /** Commits that are done. */
  readonly commit: number;
};

/** A way to lay a prompt out: made anew for each session. */
export type Contender = { readonly name: string; readonly create: (plan: Plan) => (situation: Situation) => Request };

/** The future, for the contender that may know it. */
export type Plan = { readonly session: Session; readonly commits: number };

/** Sums over a session, in tokens; `cost` in tokens that are neither read nor written. */
export type Bill = { readonly cost: number; readonly read: number; readonly sent: number };

/** Replays a session: before each edit turn as many question turns as asked for, 40 turns in all. */
export function replay(session: Session, questions: number, contender: Contender): Bill {
  const commits = Math.min(session.commits.length, SESSION.turns / (questions + 1));
  const layOut = contender.create({ session, commits });
  const cache = new ProviderCache();
  const desk = new Desk(session);
  const bill = { cost: 0, read: 0, sent: 0 };
  const turn = (prompt: number, answer: number): void => {
    const situation = desk.situation(prompt);
    const tokens = cache.send(layOut(situation));
    bill.cost += costOf(tokens);
    bill.read += tokens.read;
    bill.sent += tokens.read + tokens.written + tokens.uncached;
    desk.answer(situation.prompt, answer);
  };
  for (const changes of session.commits.slice(0, commits)) {
    desk.select(changes);
    for (let asked = 0; asked < questions; asked++) turn(TOKENS.question, TOKENS.answer);
    const edited = changes.reduce((sum, { diffTokens }) => sum + diffTokens, 0);
    turn(TOKENS.order, TOKENS.reply + edited);
    desk.edit(changes);
  }
  return bill;
}

/** Files, selection and history as they are at one time. */
class Desk {
  readonly #otherFiles: string;
  readonly #pathTokens: number;
  readonly #files: Map<string, FileVersion>;
  /** By path: the last commit that touched it. */
  readonly #touched = new Map<string, number>();
  #commit = 0;
  #said = 0;
  #tree: readonly string[] | undefined;
  #history: Said[] = [];
  #events: TierEvent[] = [];

  constructor({ treeTokens, files }: Session) {
    this.#files = new Map(files);
    this.#pathTokens = Math.min(TOKENS.path, Math.floor(treeTokens / files.size));
    this.#otherFiles = sized('others', treeTokens - this.#pathTokens * files.size);
  }

  select(changes: readonly Change[]): void {
    for (const { path } of changes) {
      if (!this.#touched.has(path) && this.#exists(path)) this.#events.push({ kind: 'selected', path });
      this.#touched.set(path, this.#commit);
    }
    for (const [path, last] of this.#touched) {
      if (last > this.#commit - SESSION.selectedFor) continue;
      this.#touched.delete(path);
      this.#events.push({ kind: 'dropped', path });
    }
  }

  edit(changes: readonly Change[]): void {
    for (const { path, after } of changes) {
      if (!this.#exists(path)) this.#events.push({ kind: 'selected', path });
      if (this.#exists(path) !== (after.hash !== '')) this.#tree = undefined;
      if (after.hash === '') this.#files.delete(path);
      else this.#files.set(path, after);
      this.#events.push({ kind: 'edited', key: `file:${path}` });
    }
    this.#commit += 1;
  }

  situation(tokens: number): Situation {
    this.#compact();
    const events = this.#events;
    this.#events = [];
    return {
      tree: (this.#tree ??= this.#listFiles()),
      files: this.#files,
      selected: [...this.#touched.keys()].filter((path) => this.#exists(path)),
      history: this.#history,
      prompt: { id: `${this.#said++}`, role: 'user', tokens },
      events,
      commit: this.#commit,
    };
  }

  answer(prompt: Said, tokens: number): void {
    this.#history = [...this.#history, prompt, { id: `${this.#said++}`, role: 'assistant', tokens }];
    this.#events.push({ kind: 'turn_ended' });
  }

  #compact(): void {
    const span = compactionSpan(this.#history, { triggerTokens: SESSION.compactAt, verbatimTokens: SESSION.keep });
    if (span.length === 0) return;
    const summary: Said[] = [
      { id: `${this.#said++}`, role: 'user', tokens: TOKENS.summary },
      { id: `${this.#said++}`, role: 'assistant', tokens: TOKENS.acknowledgement },
    ];
    const ids = (said: readonly Said[]): string[] => said.map(({ id }) => id);
    this.#events.push(historyReplaced(ids(span), ids(summary)));
    this.#history = [...summary, ...this.#history.slice(span.length)];
  }

  /** Files that no symbol index would read are one entry, which never changes. */
  #listFiles(): readonly string[] {
    return [...[...this.#files.keys()].map((path) => sized(path, this.#pathTokens)), this.#otherFiles];
  }

  #exists(path: string): boolean {
    return this.#files.has(path);
  }
}
