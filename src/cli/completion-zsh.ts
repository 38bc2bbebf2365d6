import type { Command } from './command.ts';
import { completionPlaces, shellQuoted, valueKind, type CompletionPlace, type Taken } from './completion-words.ts';
import type { Option } from './options.ts';

/** The script for zsh: a file `_skein` in a folder of `fpath`, or to be read by `source` after `compinit`. */
export function zshCompletion(commands: readonly Command[]): string {
  const places = completionPlaces(commands);
  const known = places.flatMap(({ at }) => (at === '' ? [] : [shellQuoted(at)])).join('|');
  return `#compdef skein
# Completion of skein for zsh: skein completion zsh > a file _skein in a folder of fpath
_skein() {
  local place='' word
  local -i index
  local -a items
  for (( index = 2; index < CURRENT; index++ )); do
    word="\${words[index]}"
    case "\${place:+$place }$word" in
      (${known}) place="\${place:+$place }$word" ;;
      (*) break ;;
    esac
  done
  # From here on the last word of the place is that of the command.
  (( CURRENT -= index - 2 ))
  shift $(( index - 2 )) words
  case "$place" in
${places.map(placeCase).join('\n')}
  esac
}
if [[ "\${funcstack[1]}" == _skein ]]; then _skein "$@"; else compdef _skein skein; fi
`;
}

function placeCase({ at, words, takes, options }: CompletionPlace): string {
  const items = words.map(([word, about]) => shellQuoted(`${word}:${about}`)).join(' ');
  const specs = options.map(([name, option]) => shellQuoted(specOf(name, option))).join(' ');
  const next = words.length > 0 ? `items=(${items}); _describe -t commands command items; ` : '';
  const rest = takes === undefined ? [] : restOf(takes);
  return `    (${shellQuoted(at)}) ${next}_arguments ${[specs, ...rest.map(shellQuoted)].join(' ')} ;;`;
}

function restOf(takes: Taken): readonly string[] {
  switch (takes.kind) {
    case 'choice':
      return [`${takes.isMany ? '*' : '1'}:word:(${takes.choices.join(' ')})`];
    case 'file':
      return ['*:file:_files'];
    case 'any':
      return ['*:word: '];
  }
}

function specOf(name: string, option: Option): string {
  const about = option.about.replaceAll(/[\\[\]:]/g, String.raw`\$&`);
  const repeats = option.multiple ? '*' : '';
  // What may be joined to it is joined; another value is the next word, or behind =.
  if (option.bare !== undefined) return `${repeats}--${name}=-[${about}]::${option.bare}:(${option.value ?? ''})`;
  return `${repeats}--${name}${option.value === undefined ? '' : '='}[${about}]${actionOf(option)}`;
}

function actionOf(option: Option): string {
  const is = valueKind(option);
  const called = `:${(option.value ?? '').replaceAll(':', ' ')}:`;
  switch (is?.kind) {
    case undefined:
      return '';
    case 'choice':
      return `${called}(${is.choices.join(' ')})`;
    case 'folder':
      return `${called}_files -/`;
    case 'file':
      return `${called}_files`;
    case 'any':
      return `${called} `;
  }
}
