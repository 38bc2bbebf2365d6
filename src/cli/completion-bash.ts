import type { Command } from './command.ts';
import { completionPlaces, shellQuoted, valueKind, type CompletionPlace } from './completion-words.ts';

/** The script for bash, which takes `=` for a word of its own. It needs nothing beside bash itself. */
export function bashCompletion(commands: readonly Command[]): string {
  const places = completionPlaces(commands);
  return `# Completion of skein for bash: eval "$(skein completion bash)"
_skein() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" place='' word index
  for (( index = 1; index < COMP_CWORD; index++ )); do
    word="\${COMP_WORDS[index]}"
    case "\${place:+$place }$word" in
      ${placesPattern(places)}) place="\${place:+$place }$word" ;;
      *) break ;;
    esac
  done
  COMPREPLY=()
  if [[ $current == '=' ]]; then
    before+='='; current=''
  elif [[ $before == '=' ]]; then
    before="\${COMP_WORDS[COMP_CWORD-2]}="
  fi
  case "$place:$before" in
${places.flatMap(valueCases).join('\n')}
  esac
  local words=''
  case "$place" in
${places.map(wordCase).join('\n')}
  esac
  COMPREPLY=( $(compgen -W "$words" -- "$current") )
}
complete -o default -F _skein skein
`;
}

function placesPattern(places: readonly CompletionPlace[]): string {
  return places.flatMap(({ at }) => (at === '' ? [] : [shellQuoted(at)])).join('|');
}

function valueCases({ at, options }: CompletionPlace): readonly string[] {
  return options.flatMap(([name, option]) => {
    // What stands alone may stand behind = too; some stands there only.
    const joined = shellQuoted(`${at}:--${name}=`);
    if (option.bare !== undefined) return [`    ${joined}) ${choose([option.value ?? ''])}`];
    const is = valueKind(option);
    if (!is) return [];
    const pattern = `    ${shellQuoted(`${at}:--${name}`)}|${joined})`;
    switch (is.kind) {
      case 'choice':
        return [`${pattern} ${choose(is.choices)}`];
      case 'folder':
        return [`${pattern} compopt -o dirnames +o default 2> /dev/null; return ;;`];
      case 'file':
        return [`${pattern} return ;;`];
      case 'any':
        return [`${pattern} compopt +o default 2> /dev/null; return ;;`];
    }
  });
}

function choose(words: readonly string[]): string {
  return `COMPREPLY=( $(compgen -W ${shellQuoted(words.join(' '))} -- "$current") ); return ;;`;
}

/** Options stand where the words of a command have ended; before that there are more words. */
function wordCase({ at, words, takes, options }: CompletionPlace): string {
  const taken = takes?.kind === 'choice' ? takes.choices : [];
  const all = [...words.map(([word]) => word), ...taken, ...options.map(([name]) => `--${name}`)];
  const noFiles = takes?.kind === 'file' ? '' : '; compopt +o default 2> /dev/null';
  return `    ${shellQuoted(at)}) words=${shellQuoted(all.join(' '))}${noFiles} ;;`;
}
