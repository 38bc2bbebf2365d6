import type { Review, ReviewFile } from '../../core/review.ts';
import { visibleText } from '../../core/visible-text.ts';
import { joinTexts } from '../join-texts.ts';

/** How much of a review is shown. */
const MAX_COMMITS = 200;
const MAX_FILES = 500;

/**
 * What a review is about, sent with every message of it (S1 "Review Context"): summary, commit log, the symbol map from
 * before the changes, and of each selected file the way back to what it was. What is cut off is said. Names and subjects are
 * others' text: control characters in them are written as escapes, so that none of them begins a line.
 */
export function reviewBlock(review: Review): string {
  return joinTexts([summary(review), commitLog(review), symbolMap(review), reverseDiffs(review)]);
}

function summary({ branch, base, commits, commitCount = commits.length, files, uncountedFiles = 0 }: Review): string {
  const added = files.reduce((sum, file) => sum + (file.added ?? 0), 0);
  const removed = files.reduce((sum, file) => sum + (file.removed ?? 0), 0);
  const uncounted = uncountedFiles > 0 ? `, ${uncountedFiles} new files not counted` : '';
  const listed = files.slice(0, MAX_FILES).map((file) => `- ${visibleText(file.path)} (${changeOf(file)})`);
  return [
    '## Review Summary',
    '',
    `Branch: ${visibleText(branch)}`,
    `Before the changes: ${visibleText(base)}`,
    `Commits: ${commitCount}`,
    `Files: ${files.length} (+${added} -${removed}${uncounted})`,
    '',
    ...listed,
    ...cutNote(files.length - listed.length, 'files'),
  ].join('\n');
}

function changeOf({ added, removed }: ReviewFile): string {
  return added === undefined || removed === undefined ? 'binary' : `+${added} -${removed}`;
}

/** Of too many commits the newest are shown. */
function commitLog({ commits, commitCount = commits.length }: Review): string {
  const shown = commits.slice(-MAX_COMMITS);
  const lines = shown.map(({ hash, subject, author, date }) =>
    visibleText(`- ${hash.slice(0, 10)} ${subject} (${author}, ${date.slice(0, 10)})`),
  );
  const note = cutNote(commitCount - shown.length, 'older commits');
  return ['## Commits', '', ...note, ...lines].join('\n');
}

function symbolMap({ symbolMap: blocks }: Review): string {
  return blocks.trim() === '' ? '' : `## Symbol Map Before The Changes\n\n${blocks.trimEnd()}`;
}

const WAY_BACK = 'The files shown in full are as they are after the changes; these diffs lead back to what they were.';

function reverseDiffs({ reverseDiffs: diffs }: Review): string {
  if (diffs.size === 0) return '';
  const blocks = [...diffs].map(([path, diff]) => `### ${visibleText(path)}\n\n${diff.trimEnd()}`);
  return ['## Reverse Diffs', WAY_BACK, ...blocks].join('\n\n');
}

function cutNote(left: number, what: string): string[] {
  return left > 0 ? [`(${left} ${what} are not shown)`] : [];
}
