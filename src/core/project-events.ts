/**
 * Payloads of the events that a project's `events.yaml` declares, by their types. There are none but those that a program says
 * it has: `declare module 'skein' { interface ProjectEvents { … } }`.
 */
// An interface, which others can add to.
// oxlint-disable-next-line typescript/no-empty-object-type typescript/no-empty-interface
export interface ProjectEvents {}
