/**
 * The thread machine's chart as plain data: it loads into `createMachine` as it is, and into any tool that draws charts.
 * States are those of the contracts; `running` shows every step of a turn.
 */
export const threadChart = {
  id: 'thread',
  initial: 'created',
  states: {
    created: {
      description: 'Admitted; waits for a slot.',
      on: { START: 'running', CANCEL: 'cancelled', FAIL: 'error' },
    },
    running: {
      initial: 'starting',
      exit: 'stopWork',
      on: {
        CANCEL: 'cancelled',
        SUSPEND: 'suspended',
        FAIL: 'error',
        LIMIT_HIT: '.decidingLimit',
        HOLD_END: '.ending',
      },
      states: {
        starting: {
          description: 'Builds the prompt and the tool palette.',
          entry: 'prepare',
          on: { READY: 'checkingLimits' },
        },
        checkingLimits: {
          entry: 'checkLimits',
          on: {
            WITHIN_LIMITS: [{ guard: 'isRetrying', target: 'reserving' }, { target: 'beforeStep' }],
            CONTEXT_PRESSED: 'compacting',
            CONTEXT_FULL: 'contextFull',
            SUCCESSOR_NEEDED: 'handingOver',
          },
        },
        compacting: {
          description: 'The conversation fills most of the context window: its hooks may put a summary in its place.',
          entry: 'relievePressure',
          on: { PRESSURE_SEEN: 'checkingLimits' },
        },
        contextFull: {
          description: 'The conversation is at the hard threshold: its hooks may let it go on all the same.',
          entry: 'decideFullContext',
          on: { FULL_WAIVED: 'checkingLimits', SUCCESSOR_NEEDED: 'handingOver' },
        },
        handingOver: {
          description: 'Asks the host for the number and the id of the thread that takes over.',
          entry: 'askForSuccessor',
          on: { HAND_OVER: '#thread.continued' },
        },
        decidingLimit: {
          description: 'A limit was hit: the limit hooks, then on_exceed, say what becomes of the thread.',
          entry: 'decideLimit',
          on: {
            LIMIT_WAIVED: [
              { guard: 'hasOpenCalls', target: 'askingHooks' },
              { guard: 'isStepDue', target: 'afterStep' },
              { guard: 'isFinal', target: 'concluding' },
              { guard: 'mustWait', target: 'backingOff' },
              { target: 'checkingLimits' },
            ],
          },
        },
        beforeStep: {
          entry: 'runBeforeStep',
          on: { STEP_ALLOWED: [{ guard: 'mustAssemble', target: 'assembling' }, { target: 'reserving' }] },
        },
        assembling: {
          description: 'A prompt in tiers: reads what has changed in the project, and lays the next request out.',
          entry: 'assemble',
          on: { ASSEMBLED: 'reserving', CONTEXT_FULL: 'contextFull' },
        },
        reserving: {
          description: 'Reserves the worst case of the next call; what came before is on disk when it is granted.',
          entry: 'reserveBudget',
          on: { RESERVED: 'calling', BUDGET_REFUSED: 'decidingLimit', PROVIDER_CLOSED: 'waitingForProvider' },
        },
        calling: {
          entry: 'callModel',
          on: { ANSWERED: 'settling', CALL_FAILED: 'classifying', PROVIDER_CLOSED: 'waitingForProvider' },
        },
        waitingForProvider: {
          description:
            'The provider has too many calls, of this thread or others: waits its turn, with nothing reserved.',
          entry: 'waitForProvider',
          on: { PROVIDER_OPEN: 'reserving', FALL_BACK: 'checkingLimits' },
        },
        classifying: {
          description:
            'Settles what the failed call used; the error hooks say whether it is tried again, then another model may be.',
          entry: 'classifyFailure',
          on: { RETRY: 'backingOff', FALL_BACK: 'checkingLimits' },
        },
        backingOff: {
          entry: 'backOff',
          on: { BACK_OFF_OVER: 'checkingLimits' },
        },
        settling: {
          entry: 'settleCall',
          on: {
            SETTLED: [
              { guard: 'mustAsk', target: 'askingHooks' },
              { guard: 'mustRecord', target: 'recording' },
              { guard: 'hasToolCalls', target: 'acting' },
              { target: 'afterStep' },
            ],
          },
        },
        askingHooks: {
          description: 'The before_tool hooks see every call: they let it pass, rewrite it or refuse it.',
          entry: 'askBeforeTools',
          on: { TOOLS_ALLOWED: [{ guard: 'mustRecord', target: 'recording' }, { target: 'acting' }] },
        },
        recording: {
          description:
            'Waits until the start of every call with side effects is on disk; after a crash that of any call.',
          entry: 'recordToolCalls',
          on: { RECORDED: 'acting' },
        },
        acting: {
          description: 'Tool calls run, some of them at a time.',
          entry: 'runTools',
          on: { TOOLS_DONE: 'afterStep', ONLY_CHILDREN_LEFT: 'waitingForChildren' },
        },
        waitingForChildren: {
          description: 'Only waits for child threads are left: the slot is given back.',
          entry: 'yieldSlot',
          on: {
            TOOLS_DONE: 'afterStep',
            ONLY_CHILDREN_LEFT: { target: 'waitingForChildren', reenter: true },
          },
        },
        afterStep: {
          entry: 'runAfterStep',
          on: { STEP_OVER: 'checkpointing' },
        },
        checkpointing: {
          entry: 'saveCheckpoint',
          on: {
            CHECKPOINTED: [{ guard: 'isFinal', target: 'concluding' }, { target: 'checkingLimits' }],
          },
        },
        concluding: {
          description:
            'Checks that every declared output is there, tells the hooks of them, and applies the child policy; what it was told meanwhile takes a turn.',
          entry: 'conclude',
          on: { CONCLUDED: '#thread.completed', REMINDED: 'checkingLimits', CHILDREN_LEFT: 'joining' },
        },
        joining: {
          description: 'Child policy `wait`: the thread ends after its children.',
          entry: 'awaitChildren',
          on: { CHILDREN_ENDED: [{ guard: 'areHeard', target: '#thread.completed' }, { target: 'hearing' }] },
        },
        hearing: {
          description:
            'Its hooks have not heard of all children to the end: they may decide, or start another one, before it ends.',
          entry: 'yieldSlot',
          on: { CHILDREN_HEARD: 'joining' },
        },
        ending: {
          description:
            'Child policy `wait`: it has failed or is cancelled, does nothing more, and ends after its children.',
          entry: 'holdEnding',
        },
      },
    },
    suspended: {
      description: 'Holds no slot and no memory beyond its row.',
      entry: 'recordSuspension',
      on: {
        RESUME: [
          { guard: 'hasOpenCalls', target: 'running.askingHooks', actions: 'recordResumption' },
          { guard: 'isStepDue', target: 'running.afterStep', actions: 'recordResumption' },
          { target: 'running.checkpointing', actions: 'recordResumption' },
        ],
        CANCEL: 'cancelled',
      },
    },
    completed: { type: 'final', entry: 'recordCompletion' },
    error: { type: 'final', entry: 'recordError' },
    cancelled: { type: 'final', entry: 'recordCancellation' },
    continued: { type: 'final', entry: 'recordContinuation' },
  },
} as const;
