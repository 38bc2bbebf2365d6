import type { ProjectWindow, WindowAccount, WindowHit, WindowPlace, WindowThread } from '../../index.ts';
import type { BudgetNode, SearchHit, ThreadRow } from '../api.ts';

/** A thread as the page has it. */
export function toRow({ id, parentId, usage, suspendReason, ...thread }: WindowThread): ThreadRow {
  return {
    id,
    ...(parentId !== undefined && { parent: parentId }),
    directive: thread.directive,
    model: thread.model,
    status: thread.status,
    ...(suspendReason !== undefined && { suspend_reason: suspendReason }),
    turns: usage.turns,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    spend: usage.spend,
    tree_spend: thread.treeSpend,
    children: thread.children,
    created_at_ms: thread.createdAtMs,
    updated_at_ms: thread.updatedAtMs,
  };
}

/** How far a project was followed; whoever looks on gives it back as it is. */
export function toPlace({ log, thread, moves }: WindowPlace): string {
  return `${log}.${thread}.${moves}`;
}

/** An account as the page has it: the same names. */
export function toBudgetNode({ id, directive, max, reserved, spent, remaining, status }: WindowAccount): BudgetNode {
  return { id, directive, max, reserved, spent, remaining, status };
}

/** A place where a text was found, as the page has it. */
export function toSearchHit({ threadId, directive, eventType, sequence, atMs, snippet }: WindowHit): SearchHit {
  return { thread_id: threadId, directive, event_type: eventType, sequence, at_ms: atMs, snippet };
}

/** What ended threads have delivered, as the page has it. */
export function toEnding(ending: ReturnType<ProjectWindow['ending']>): EndingView {
  if (!ending) return null;
  const { outputs, text, error } = ending;
  return { outputs: outputs ?? null, text, error: error ? { code: error.code, message: error.message } : null };
}

type EndingView = {
  readonly outputs: Readonly<Record<string, unknown>> | null;
  readonly text: string;
  readonly error: { readonly code: string; readonly message: string } | null;
} | null;
