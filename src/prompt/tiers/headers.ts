import type { TierKey } from '../../core/assembly.ts';

/* The constant texts of an assembled prompt (S1 "Header Constants", "Block Details"). */

/** Before the legend of the symbol map. */
export const REPO_MAP_HEADER =
  '# Repository Structure\n\n' +
  'Below is a map of the repository showing classes, functions, and their relationships.\n' +
  'Use this to understand the codebase structure and find relevant code.\n\n';

/** Before symbol blocks that stand apart from the legend. */
export const TIER_SYMBOLS_HEADER = '# Repository Structure (continued)\n\n';

/** Before the list of all files. */
export const FILE_TREE_HEADER = '# Repository Files\n\nComplete list of files in the repository:\n\n';

/** Before what has come to that list, or left it, since it was sent. */
export const FILE_TREE_CHANGES_HEADER = '# Repository Files (changed)\n\nChanges of the list of files above:\n\n';

/** Before what was fetched from URLs. */
export const URL_CONTEXT_HEADER =
  '# URL Context\n\nThe following content was fetched from URLs mentioned in the conversation:\n\n';

/** Before what a review is about. */
export const REVIEW_CONTEXT_HEADER = '# Code Review Context\n\n';

/** Before the files that stand in no tier. */
export const FILES_ACTIVE_HEADER = '# Working Files\n\nHere are the files:\n\n';

const FOR_REFERENCE = '\n\nThese files are included for reference:\n\n';

/** Before the files of tier L0. */
export const FILES_L0_HEADER: string = `# Reference Files (Stable)${FOR_REFERENCE}`;
/** Before the files of tier L1. */
export const FILES_L1_HEADER: string = `# Reference Files${FOR_REFERENCE}`;
/** Before the files of tier L2. */
export const FILES_L2_HEADER: string = `# Reference Files (L2)${FOR_REFERENCE}`;
/** Before the files of tier L3. */
export const FILES_L3_HEADER: string = `# Reference Files (L3)${FOR_REFERENCE}`;

/** Before the files of each tier. */
export const TIER_FILES_HEADERS: Readonly<Record<TierKey, string>> = {
  L0: FILES_L0_HEADER,
  L1: FILES_L1_HEADER,
  L2: FILES_L2_HEADER,
  L3: FILES_L3_HEADER,
};

/** What the assistant says to a block of context. */
export const ACKNOWLEDGED = 'Ok.';
/** What it says to {@link URL_CONTEXT_HEADER}. */
export const URLS_ACKNOWLEDGED = "Ok, I've reviewed the URL content.";
/** What it says to {@link REVIEW_CONTEXT_HEADER}. */
export const REVIEW_ACKNOWLEDGED = "Ok, I've reviewed the code changes.";
