import type { Command } from './command.ts';

/** Loads the commands that begin with a word; `all` gives every one there is. */
type Load = (all: () => Promise<readonly Command[]>) => Promise<readonly Command[]>;

/** Commands that belong together, by the words they begin with. */
type TableGroup = {
  readonly title: string;
  readonly words: Readonly<Record<string, Load>>;
  readonly inBrief?: boolean;
};

/**
 * Every command there is, by the word it begins with. A command is loaded when it is called for: each needs other parts of the
 * package, and all of them together take most of a second.
 */
export const COMMAND_TABLE: readonly TableGroup[] = [
  {
    title: 'Run',
    words: {
      run: async () => [(await import('./run-command.ts')).runCommand],
      prompt: async () => [(await import('./prompt-command.ts')).promptCommand],
      render: async () => [(await import('./render-command.ts')).renderCommand],
      'commit-message': async () => [(await import('./commit-message.ts')).commitMessageCommand],
    },
  },
  {
    title: 'Look',
    words: {
      top: async () => [(await import('./top-command.ts')).topCommand],
      status: async () => [(await import('./status-command.ts')).statusCommand],
      list: async () => [(await import('./list-command.ts')).listCommand],
      tree: async () => [(await import('./tree-command.ts')).treeCommand],
      tail: async () => [(await import('./tail-command.ts')).tailCommand],
      transcript: async () => [(await import('./transcript-command.ts')).transcriptCommand],
      export: async () => [(await import('./export-command.ts')).exportCommand],
      replay: async () => [(await import('./replay-command.ts')).replayCommand],
      machine: async () => [(await import('./machine-command.ts')).machineCommand],
    },
  },
  {
    title: 'Act',
    words: {
      cancel: async () => [(await import('./cancel-command.ts')).cancelCommand],
      resume: async () => [(await import('./resume-command.ts')).resumeCommand],
      fork: async () => [(await import('./fork-command.ts')).forkCommand],
      async approvals() {
        const { approvalsList, approvalsGrant, approvalsDeny } = await import('./approvals-command.ts');
        return [approvalsList, approvalsGrant, approvalsDeny];
      },
    },
  },
  {
    title: 'Items',
    words: {
      item: async () => [
        (await import('./item-list.ts')).itemList,
        (await import('./item-show.ts')).itemShow,
        (await import('./item-search.ts')).itemSearch,
      ],
      sign: async () => [(await import('./sign-command.ts')).signCommand],
      verify: async () => [(await import('./verify-command.ts')).verifyCommand],
      keys: async () => [
        (await import('./keys-init.ts')).keysInit,
        (await import('./keys-list.ts')).keysList,
        (await import('./keys-trust.ts')).keysTrust,
      ],
    },
  },
  {
    title: 'Set up and look after',
    words: {
      config: async () => [(await import('./config-show.ts')).configShow],
      models: async () => [(await import('./models-command.ts')).modelsCommand],
      doctor: async () => [(await import('./doctor-command.ts')).doctorCommand],
      gc: async () => [(await import('./gc-command.ts')).gcCommand],
      bench: async () => [(await import('./bench-command.ts')).benchCommand],
      completion: async (all) => [(await import('./completion-command.ts')).completionCommand(all)],
    },
  },
  {
    title: 'Serve',
    words: {
      ui: async () => [(await import('./ui-command.ts')).uiCommand],
      mcp: async () => [(await import('./mcp-command.ts')).mcpCommand],
      'llm-server': async () => [(await import('./llm-server-command.ts')).llmServerCommand],
    },
  },
  {
    title: 'Operations on threads, by the names that models have',
    words: {
      threads: async () => [
        (await import('./list-command.ts')).threadsListCommand,
        ...(await import('./threads-command.ts')).THREADS_COMMANDS,
      ],
    },
    inBrief: true,
  },
];
