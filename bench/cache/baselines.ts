import { flatBlocks } from './layouts.ts';
import type { Contender } from './replay.ts';

/** What others do with the same content, all in the flat layout. */
export const NO_CACHE: Contender = {
  name: 'no cache',
  create: () => (situation) => ({ blocks: flatBlocks(situation), marks: [] }),
};

/** One mark on the last message, as most clients do. */
export const ONE_MARK: Contender = {
  name: 'one mark',
  create: () => (situation) => {
    const blocks = flatBlocks(situation);
    return { blocks, marks: [blocks.length - 1] };
  },
};

/** Marks on the system message and on the last two of the user. */
export const SYSTEM_AND_TWO = systemAndTwo('system + 2', 'unselected');
/** The same with the map of all files in the system message, so that selecting a file does not change it. */
export const WHOLE_MAP = systemAndTwo('system + 2, whole map', 'whole');

function systemAndTwo(name: string, map: 'whole' | 'unselected'): Contender {
  return {
    name,
    create: () => (situation) => {
      const blocks = flatBlocks(situation, map);
      const last = blocks.length - 1;
      // Question and answer take turns, so the user's message before the last one is two places earlier.
      return { blocks, marks: situation.history.length > 0 ? [0, last - 2, last] : [0, last] };
    },
  };
}
