import type { VNode } from 'preact';
import type { Resource } from '../live/use-resource.ts';

/** Says that something is being read, or why it can't be; nothing once it is there. */
export function FailureNote({ of, what }: { readonly of: Resource<unknown>; readonly what: string }): VNode | null {
  if (of.failure) {
    return (
      <p class="failure" role="alert">
        {what} can’t be shown: {of.failure.message}
      </p>
    );
  }
  return of.value === undefined ? <p class="quiet">Reading {what.toLowerCase()}…</p> : null;
}
