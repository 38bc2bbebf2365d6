import { joinTexts } from '../join-texts.ts';

/** A file as it is shown: its path, and its text in a fence without a language (S1 "File Content Formatting"). */
export function fileBlock(path: string, content: string): string {
  const fence = fenceFor(content);
  return `${path}\n${fence}\n${content}\n${fence}`;
}

/** Files as they are shown outside of tiers, a blank line apart. */
export function joinFiles(blocks: readonly string[]): string {
  return blocks.join('\n\n');
}

/**
 * The list of all files: flat, sorted, one a line (S1 "File Tree"). Of one that is cut, it is not said how many there are: it would
 * be another list with each file that it has not.
 */
export function fileTree(paths: readonly string[], isCut = false): string {
  const sorted = [...new Set(paths)].toSorted();
  const more = isCut ? '; there are more' : '';
  return `${LIST_TITLE}(${sorted.length} files${more})\n\n${sorted.join('\n')}`;
}

/** The paths of a text that has the list of all files at its end. */
export function listedPaths(text: string): readonly string[] {
  const [, , ...paths] = text.slice(text.indexOf(LIST_TITLE)).split('\n');
  // A list of none has a last line, too.
  return paths.filter((path) => path !== '');
}

/** What has come to a list of files and what has left it, flat and sorted as the list is. */
export function fileTreeChanges(before: readonly string[], now: readonly string[]): string {
  const was = new Set(before);
  const is = new Set(now);
  return joinTexts([
    changeList(
      'Added',
      now.filter((path) => !was.has(path)),
    ),
    changeList(
      'Removed',
      before.filter((path) => !is.has(path)),
    ),
  ]);
}

/** What was fetched from a URL. */
export type FetchedUrl = {
  readonly url: string;
  readonly title?: string | undefined;
  readonly content: string;
  /** Symbols of the code behind it, if it is code. */
  readonly symbolMap?: string | undefined;
};

/** What was fetched from URLs: of each its title, its content and its symbols (S1 "URL Context"). */
export function urlBlocks(urls: readonly FetchedUrl[]): string {
  return urls
    .map(({ url, title, content, symbolMap }) => joinTexts([`## ${title ?? url}`, content, symbolMap ?? '']))
    .join('\n---\n');
}

/** A prompt with its reminder, which stands at the very end (S1 "System Reminder"). */
export function withReminder(prompt: string, reminder: string): string {
  return [prompt, reminder].filter((text) => text !== '').join('\n\n');
}

const LIST_TITLE = '# File Tree ';

function changeList(title: string, paths: readonly string[]): string {
  return paths.length === 0 ? '' : [`# ${title} (${paths.length} files)`, '', ...paths].join('\n');
}

/** Three backticks, or more than the longest run in a text that has as many: a text can't end its own fence. */
function fenceFor(content: string): string {
  if (!content.includes('```')) return '```';
  const longest = (content.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  return '`'.repeat(longest + 1);
}
