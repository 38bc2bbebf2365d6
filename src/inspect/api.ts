/*
 * The dashboard's HTTP API, as both sides have it: JSON with names as on the wire, money in USD, times in milliseconds since
 * the epoch. Every request has the token in the header `TOKEN_HEADER`; a change is a POST with
 * `content-type: application/json`. What is refused is an `ApiError` with a fitting HTTP status.
 */
export * from './api/request.ts';
export * from './api/totals.ts';
export * from './api/project.ts';
export * from './api/thread-list.ts';
export * from './api/thread.ts';
export * from './api/log.ts';
export * from './api/prompt.ts';
export * from './api/approvals.ts';
export * from './api/actions.ts';
export * from './api/search.ts';
export * from './api/timeline.ts';
export * from './api/live.ts';
