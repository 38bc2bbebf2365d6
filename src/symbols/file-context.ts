import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { FileContext } from '../core/assembly.ts';
import { SkeinError } from '../core/errors.ts';
import { isHidden, isPlain } from './list-files.ts';
import { insidePath, readProjectFile } from './project-file.ts';

/** The files of a session on the disk, and which of them the model is to see in full. */
export interface ProjectFiles extends FileContext {
  /**
   * Selects a file; one that is selected stays where it is.
   *
   * @throws SkeinError `invalid_argument` for a path that is no text file of the project of at most 1 MiB, or leads out of it
   */
  select(path: string): void;
  /** @returns whether it was selected */
  drop(path: string): boolean;
}

/** What a file context works with. */
export type FileContextOptions = {
  /** The project's folder. */
  readonly root: string;
  /** All its files, sorted: a symbol index knows them. */
  readonly files: () => readonly string[];
  /** Selected from the start, e.g. when a session goes on; what has gone is left out when it is read. */
  readonly selected?: readonly string[];
};

/** Opens the files of a project. Texts are read anew each time they are asked for: what a turn sees is what is there. */
export function createFileContext({ root, files, selected = [] }: FileContextOptions): ProjectFiles {
  const place = realpathSync.native(root);
  const chosen = new Set(selected);
  const read = (path: string): string | undefined => {
    const inside = isPlain(path) ? insidePath(place, path) : undefined;
    // Neither by its own name nor through a link.
    if (inside === undefined || isHidden(path) || isHidden(relative(place, inside).replaceAll(sep, '/')))
      return undefined;
    const file = readProjectFile(place, path);
    return file?.kind === 'text' ? file.text : undefined;
  };
  return {
    selected: () => [...chosen],
    content: read,
    tree: files,
    select: (path) => {
      if (read(path) === undefined) throw refused(path);
      chosen.add(path);
    },
    drop: (path) => chosen.delete(path),
  };
}

function refused(path: string): SkeinError {
  return new SkeinError('invalid_argument', `${path} is no text file of the project that can be read`);
}
