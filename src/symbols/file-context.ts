import { realpathSync } from 'node:fs';
import { isAbsolute, posix, relative, sep } from 'node:path';
import type { FileContext } from '../core/assembly.ts';
import { SkeinError } from '../core/errors.ts';
import { isInside } from '../core/path-inside.ts';
import { isHidden, isPlain } from './list-files.ts';
import { placeInside, type ProjectFile, readProjectFile } from './project-file.ts';

/** The files of a session on the disk, and which of them the model is to see in full. */
export interface ProjectFiles extends FileContext {
  /**
   * What a file is called here, however its path is written: one with `.`, `..` or `//` in it, or an absolute one. A path that leads
   * out of the project is called so that it still does.
   */
  nameOf(path: string): string;
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
  return {
    selected: () => [...chosen],
    content: (path) => {
      const file = readShown(place, path);
      return file.kind === 'text' ? file.text : undefined;
    },
    tree: files,
    nameOf: (path) => nameIn(isInside(path, root) ? root : place, path),
    select: (path) => {
      const file = readShown(place, path);
      if (file.kind === 'unusable') throw refused(path, file.reason);
      chosen.add(path);
    },
    drop: (path) => chosen.delete(path),
  };
}

/** Reads a file that a model may see. */
function readShown(root: string, path: string): ProjectFile {
  const unusable = (reason: string): ProjectFile => ({ kind: 'unusable', reason });
  if (!isPlain(path)) return unusable('its name has control characters');
  const place = placeInside(root, path);
  if (place.kind === 'none') return unusable(place.reason);
  // Neither by its own name nor through a link.
  const isKept = isHidden(path) || isHidden(relative(root, place.file).replaceAll(sep, '/'));
  if (isKept) return unusable('it is not for models to see');
  return readProjectFile(root, path) ?? unusable('it was replaced');
}

function nameIn(root: string, path: string): string {
  return posix.normalize(isAbsolute(path) ? relative(root, path).replaceAll(sep, '/') : path);
}

function refused(path: string, reason: string): SkeinError {
  return new SkeinError('invalid_argument', `${path} is no text file of the project that can be read: ${reason}`);
}
