import type { Command } from './command.ts';
import { completionPlaces, valueKind, type CompletionPlace } from './completion-words.ts';
import type { Option } from './options.ts';

/** The script for fish. */
export function fishCompletion(commands: readonly Command[]): string {
  const places = completionPlaces(commands);
  const known = places.flatMap(({ at }) => (at === '' ? [] : [quoted(at)])).join(' ');
  return `# Completion of skein for fish: skein completion fish > ~/.config/fish/completions/skein.fish
function __skein_at
    set -l place ''
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        set -l next (string trim -- "$place $word")
        contains -- $next ${known}; or break
        set place $next
    end
    test "$place" = "$argv[1]"
end
${places.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ at, words, takes, options }: CompletionPlace): readonly string[] {
  const where = `complete -c skein -n ${quoted(`__skein_at ${quoted(at)}`)}`;
  const taken = takes?.kind === 'choice' ? takes.choices : [];
  return [
    ...(takes?.kind === 'file' ? [] : [`${where} -f`]),
    ...taken.map((word) => `${where} -f -a ${quoted(word)}`),
    ...words.map(([word, about]) => `${where} -f -a ${quoted(word)} -d ${quoted(about)}`),
    ...options.map(([name, option]) => `${where} -l ${name}${valueOf(option)} -d ${quoted(option.about)}`),
  ];
}

function valueOf(option: Option): string {
  // What may be joined to it is not asked for.
  if (option.bare !== undefined) return ` -f -a ${quoted(option.value ?? '')}`;
  const is = valueKind(option);
  switch (is?.kind) {
    case undefined:
      return '';
    case 'choice':
      return ` -x -a ${quoted(is.choices.join(' '))}`;
    case 'folder':
      return ` -x -a '(__fish_complete_directories)'`;
    case 'file':
      return ' -r -F';
    case 'any':
      return ' -x';
  }
}

/** In single quotes fish reads \\\\ and \\' alone. */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
