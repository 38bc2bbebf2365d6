import type { ThreadNo } from './ids.ts';

/**
 * How far a database has been followed: the last part of its log, the last thread, and how often threads have left it for the
 * archive.
 */
export type WindowPlace = { readonly log: number; readonly thread: ThreadNo; readonly moves: number };
