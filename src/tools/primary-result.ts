import type { ErrorPlace, Failure, SkeinErrorCode } from '../core/errors.ts';
import type { ItemKind } from '../core/item.ts';

/** What a primary action is about: the kind and id of an item; neither where there is none, as in a search over all. */
export type ActionSubject = { readonly type: ItemKind | null; readonly item_id: string | null };

/** A primary action that did what it was asked (S2 §7.6). Plain JSON, spelled as on the wire. */
export type PrimarySuccess = ActionSubject & {
  readonly status: 'success';
  readonly data: unknown;
  /** What was ignored, and why. */
  readonly warnings?: readonly string[];
};

/** A primary action that did not (S2 §7.6). */
export type PrimaryError = ActionSubject & {
  readonly status: 'error';
  readonly error: string;
  readonly code: SkeinErrorCode;
  /** With `missing_input`: what the directive takes (S2 §7.4). */
  readonly declared_inputs?: unknown;
  readonly where?: ErrorPlace;
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly warnings?: readonly string[];
};

/** How a primary action ended. */
export type PrimaryResult = PrimarySuccess | PrimaryError;

/** The result of an action that did what it was asked; `warnings` are left out when there are none. */
export function success(subject: ActionSubject, data: unknown, warnings: readonly string[] = []): PrimarySuccess {
  return { status: 'success', ...subject, data, ...(warnings.length > 0 && { warnings }) };
}

/** The result of an action that failed. */
export function failure(
  { type, item_id }: ActionSubject,
  { code, message, where, detail = {} }: Failure,
): PrimaryError {
  const { declared_inputs: declared, ...others } = detail;
  return {
    status: 'error',
    error: message,
    code,
    type,
    item_id,
    ...(declared !== undefined && { declared_inputs: declared }),
    ...(where && { where }),
    ...(Object.keys(others).length > 0 && { detail: others }),
  };
}
