/** The supervisor machine's chart as plain data (architecture, "Supervisor"). */
export const supervisorChart = {
  id: 'supervisor',
  initial: 'starting',
  states: {
    starting: {
      description: 'The store opens and the workers come up.',
      on: { READY: 'accepting', FAILED: 'stopped' },
    },
    accepting: {
      description: 'Threads are admitted, queued and assigned.',
      on: {
        SPAWN: { actions: 'prepareThread' },
        PREPARED: { actions: 'admitThread' },
        ADMITTED: { actions: 'queueThread' },
        SLOT_FREE: { actions: 'assignThreads' },
        WAITING: { actions: 'yieldSlot' },
        ENDED: { actions: 'endThread' },
        CONTINUED: { actions: 'continueThread' },
        SUSPENDED: { actions: 'suspendThread' },
        RESUME: { actions: 'resumeThread' },
        CANCEL: { actions: 'cancelTree' },
        DRAIN: 'draining',
        FAILED: 'stopped',
      },
    },
    draining: {
      description: 'Nothing new is admitted; what runs may end until the grace period is over.',
      entry: 'refuseQueued',
      on: {
        ADMITTED: { actions: 'keepThread' },
        SLOT_FREE: { actions: 'assignThreads' },
        WAITING: { actions: 'yieldSlot' },
        ENDED: { actions: 'endThread' },
        CONTINUED: { actions: 'keepSuccessor' },
        SUSPENDED: { actions: 'suspendThread' },
        CANCEL: { actions: 'cancelTree' },
        DRAIN: { actions: 'shortenGrace' },
        GRACE_OVER: { actions: 'suspendRest' },
        EMPTY: 'stopped',
        FAILED: 'stopped',
      },
    },
    stopped: { type: 'final', entry: 'stop' },
  },
} as const;
