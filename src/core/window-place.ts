import type { ThreadNo } from './ids.ts';

/** How far a database has been followed: the last part of its log, and the last thread. */
export type WindowPlace = { readonly log: number; readonly thread: ThreadNo };
