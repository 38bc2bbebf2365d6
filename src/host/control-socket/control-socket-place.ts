import { hash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { SkeinError } from '../../core/errors.ts';

/** A place for a project's control socket. */
export type SocketPlace = {
  /** What is listened on and connected to. */
  readonly path: string;
  readonly kind: 'beside-lock' | 'temp-folder' | 'pipe';
};

/** What places are found from. */
export type PlaceOptions = {
  /** `.ai/threads` of the project. */
  readonly folder: string;
  readonly platform?: NodeJS.Platform;
};

/** Bytes a socket's path may have with its end mark. */
const MAX_PATH = { linux: 108, other: 104 } as const;

/**
 * Where the runtime that holds a project's lock may listen, best first: `control.sock` beside the lock, unless that is too
 * long for a socket; a folder below the temporary one that is named for the project. On Windows it is a named pipe.
 */
export function socketPlaces({ folder, platform = process.platform }: PlaceOptions): readonly SocketPlace[] {
  const name = projectName(folder);
  if (platform === 'win32') return [{ path: `\\\\.\\pipe\\${name}`, kind: 'pipe' }];
  const path = join(folder, SOCKET);
  const max = platform === 'linux' ? MAX_PATH.linux : MAX_PATH.other;
  const elsewhere = { path: join(tmpdir(), name, SOCKET), kind: 'temp-folder' } as const;
  return Buffer.byteLength(path) < max ? [{ path, kind: 'beside-lock' }, elsewhere] : [elsewhere];
}

const SOCKET = 'control.sock';

/** Name of the file beside the lock that says where the socket is, if it is elsewhere. */
const POINTER = 'control.path';

/** One folder has one name, whatever links lead to it. */
function projectName(folder: string): string {
  return `skein-${hash('sha256', realpathSync(folder)).slice(0, 24)}`;
}

/**
 * Makes room for the socket: its folder, and the file that says where it is.
 *
 * @throws SkeinError `project_unwritable` if something of somebody else's is there
 */
export function preparePlace(folder: string, { path, kind }: SocketPlace): void {
  if (kind === 'pipe') return;
  rmSync(join(folder, POINTER), { force: true });
  if (kind === 'temp-folder') {
    makeOwnFolder(dirname(path));
    writeFileSync(join(folder, POINTER), `${path}\n`, { mode: 0o600, flag: 'wx' });
  }
  removeStale(path);
}

/** Removes what {@link preparePlace} made, and the socket. */
export function clearPlace(folder: string, { path, kind }: SocketPlace): void {
  if (kind === 'pipe') return;
  rmSync(path, { force: true });
  if (kind !== 'temp-folder') return;
  rmSync(join(folder, POINTER), { force: true });
  rmSync(dirname(path), { recursive: true, force: true });
}

/**
 * Where to connect to. A runtime may have another temporary folder than whoever looks for it, and has written down where
 * its socket is; but a project may come from anywhere, so that only a place of our own making is believed.
 *
 * @throws SkeinError `project_unwritable` if the place belongs to somebody else
 */
export function findPlace(options: PlaceOptions): SocketPlace | undefined {
  const [first] = socketPlaces(options);
  const written = first?.kind === 'pipe' ? undefined : readPointer(options.folder);
  const place = written === undefined ? first : ({ path: written, kind: 'temp-folder' } as const);
  if (place?.kind === 'temp-folder') requireOwnFolder(dirname(place.path));
  return place;
}

function readPointer(folder: string): string | undefined {
  let path: string;
  try {
    path = readFileSync(join(folder, POINTER), 'utf8').trimEnd();
  } catch {
    // No runtime has written it: the usual place is the one.
    return undefined;
  }
  const isOurs = basename(path) === SOCKET && basename(dirname(path)) === projectName(folder);
  return isOurs ? path : undefined;
}

/** In a folder that everybody may write to, somebody else may have been there first. */
function makeOwnFolder(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })) mkdirSync(path, { mode: 0o700 });
  requireOwnFolder(path);
}

function requireOwnFolder(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  const isOwn = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  if (!isOwn) throw occupied('The folder of the control socket is open to others', path);
}

/** Whoever holds the lock knows that nobody listens there any more. */
function removeStale(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !found.isSocket()) throw occupied('Where the control socket belongs is something else', path);
  if (found) rmSync(path);
}

function occupied(message: string, file: string): SkeinError {
  return new SkeinError('project_unwritable', message, { where: { file } });
}
