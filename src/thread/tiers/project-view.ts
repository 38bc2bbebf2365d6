import type { FileContext, SymbolIndex } from '../../core/assembly.ts';
import type { ModelBinding } from '../../providers/provider-registry.ts';
import type { ModelCounter } from '../../providers/token-counter.ts';
import { createCut } from './cut-to-fit.ts';

/** A project as one session shows it to its model. */
export type ProjectView = {
  readonly symbols: (index: SymbolIndex, model: ModelBinding) => SymbolIndex;
  readonly files: (files: FileContext, model: ModelBinding) => FileContext;
  /** What of it was shown last. */
  readonly cut: () => CutProject;
};

/** Paths that the map of symbols and the list of files show, where they are cut. */
export type CutProject = {
  readonly map?: readonly string[] | undefined;
  readonly list?: readonly string[] | undefined;
};

/** What of the model's window the map of symbols and the list of files may take: the rest is for the work on them. */
const MAP_SHARE = 0.25;
const LIST_SHARE = 0.05;
/** What both may take together. */
export const PROJECT_SHARE = MAP_SHARE + LIST_SHARE;

/** A constant: it stands at the head of the prompt, where a number would cost all of it with each new file. */
const CUT_NOTE =
  'This map is cut: the project has more than there is room for, and files deep in it have no entry here. Search for what you miss.';

/** Makes the view of one session, or goes on with it: what has been shown stays for as long as there is room. */
export function createProjectView({ map, list }: CutProject = {}): ProjectView {
  const cutMap = createCut(map);
  const cutList = createCut(list);
  const blockTokens = createSizes();
  const pathTokens = createSizes();
  return {
    symbols(index, { contextWindow, counter }) {
      const all = index.paths();
      const sizes = blockTokens(all, (path) => index.block(path) ?? '', counter);
      const shown = cutMap(sizes, MAP_SHARE * contextWindow);
      map = shown.size < all.length ? [...shown] : undefined;
      return {
        refresh: (paths) => index.refresh(paths),
        block: (path) => (shown.has(path) ? index.block(path) : undefined),
        hash: (path) => (shown.has(path) ? index.hash(path) : undefined),
        paths: () => all.filter((path) => shown.has(path)),
        legend: () => (shown.size < all.length ? `${index.legend()}\n\n${CUT_NOTE}` : index.legend()),
      };
    },
    files(files, { contextWindow, counter }) {
      const all = files.tree();
      const sizes = pathTokens(all, (path) => `${path}\n`, counter);
      const shown = cutList(sizes, LIST_SHARE * contextWindow);
      list = shown.size < all.length ? [...shown] : undefined;
      const texts = new Map<string, string | undefined>();
      return {
        selected: () => files.selected(),
        tree: () => all.filter((path) => shown.has(path)),
        isCut: () => shown.size < all.length,
        // While one request is laid out, each is read once.
        content(path) {
          if (!texts.has(path)) texts.set(path, files.content(path));
          return texts.get(path);
        },
      };
    },
    cut: () => ({ map, list }),
  };
}

type Sized = { readonly text: string; readonly counter: ModelCounter; readonly tokens: number };

/** The tokens of each path's text, counted once until it is another one: some counters take long, and all of a project is asked for. */
function createSizes(): (
  paths: readonly string[],
  textOf: (path: string) => string,
  counter: ModelCounter,
) => readonly (readonly [path: string, tokens: number])[] {
  let known: ReadonlyMap<string, Sized> = new Map();
  return (paths, textOf, counter) => {
    const sized = paths.map((path): [string, Sized] => {
      const text = textOf(path);
      const before = known.get(path);
      const isKnown = before?.text === text && before.counter === counter;
      return [path, isKnown ? before : { text, counter, tokens: counter.count(text) }];
    });
    known = new Map(sized);
    return sized.map(([path, { tokens }]) => [path, tokens]);
  };
}
