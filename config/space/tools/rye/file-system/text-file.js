// How the file tools read a text file and put another in its place. Not a tool: it declares no contract.
import { createHash } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isSigningKey } from './project-path.js';

/** The largest file that is read. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** The bytes of a text file, `{ bytes }`, or why there are none, `{ refused }`. `file` is a real path. */
export function readTextFile(file) {
  if (isSigningKey(file)) return { refused: 'is a private key for signing, which no tool reads' };
  // Opened first and looked at then: nothing can be put in its place in between. Non-blocking, so that a pipe can't hang.
  // Where a system has no such flag it is undefined, which sets no bit.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let handle;
  try {
    handle = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    return { refused: `can not be opened (${error.code})` };
  }
  try {
    const status = fstatSync(handle);
    if (!status.isFile()) return { refused: 'is not a file' };
    if (!isStillThere(file, status)) return { refused: 'was replaced while it was read; try again' };
    if (status.size > MAX_FILE_BYTES)
      return { refused: `has ${status.size} bytes; at most ${MAX_FILE_BYTES} are read` };
    if (!beginsAsText(handle)) return NO_TEXT;
    const bytes = readFileSync(handle);
    return bytes.includes(0) ? NO_TEXT : { bytes };
  } finally {
    closeSync(handle);
  }
}

const NO_TEXT = { refused: 'is not a text file' };
const BEGINNING_BYTES = 8 * 1024;

/** Most files that are no text show it there: the rest of them need not be read. */
function beginsAsText(handle) {
  const bytes = Buffer.alloc(BEGINNING_BYTES);
  return !bytes.subarray(0, readSync(handle, bytes, 0, BEGINNING_BYTES, 0)).includes(0);
}

/** A folder on the way may have become a link since the path was resolved. */
function isStillThere(file, { ino, dev }) {
  const named = statSync(file, { throwIfNoEntry: false });
  return named?.ino === ino && named.dev === dev && realpathSync.native(file) === file;
}

const WAIT_MS = 10_000;
/** A claim is held for milliseconds: whoever made one this old was killed. */
const ABANDONED_MS = 5_000;

/**
 * Replaces a file, or makes it: written beside it and moved into place, so that nobody ever sees half a file and a link
 * is never followed. The draft has one name for all who write this file, and only one of them can make it: it is a lock,
 * held from before `makeContent` is called. So what `makeContent` reads is what is replaced, and of two edits made at
 * the same time neither is lost.
 *
 * @returns whether the file is new
 */
export function replaceFile(file, path, makeContent) {
  const draft = draftOf(file);
  const handle = claim(draft, path);
  try {
    const before = statSync(file, { throwIfNoEntry: false });
    if (before) refuseReadOnly(file, path, before);
    writeFileSync(handle, wellFormed(makeContent()));
    if (before) keepOwner(handle, before);
    if (before) fchmodSync(handle, before.mode & 0o777);
    if (!isOurs(draft, handle)) throw busy(path);
    renameSync(draft, file);
    return before === undefined;
  } finally {
    // After a failure it is still there.
    if (isOurs(draft, handle)) rmSync(draft);
    closeSync(handle);
  }
}

/** It is not written to but replaced, so that the system itself refuses nothing; and root may write everything. */
function refuseReadOnly(file, path, before) {
  if (!before.isFile()) throw new Error(`${path} is not a file`);
  if ((before.mode & 0o222) === 0 || !mayWrite(file)) {
    throw new Error(`${path} is read-only; make it writable first (chmod u+w) if it is meant to change`);
  }
}

function mayWrite(file) {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch (error) {
    if (error.code === undefined) throw error;
    return false;
  }
}

/** Only root can give a file away. Who shares one with its owner makes it theirs by replacing it, and leaves it to the group. */
function keepOwner(handle, { uid, gid }) {
  const own = fstatSync(handle);
  if (own.uid === uid && own.gid === gid) return;
  if (!tryGive(handle, uid, gid)) tryGive(handle, own.uid, gid);
}

function tryGive(handle, uid, gid) {
  try {
    fchownSync(handle, uid, gid);
    return true;
  } catch (error) {
    // EINVAL: an owner who is nobody in this container.
    if (!['EPERM', 'EINVAL'].includes(error.code)) throw error;
    return false;
  }
}

/** Whether the draft under its name is the one we made: who stood still for long has been taken for dead. */
function isOurs(draft, handle) {
  const named = statSync(draft, { throwIfNoEntry: false });
  const { ino, dev } = fstatSync(handle);
  return named?.ino === ino && named.dev === dev;
}

function busy(path) {
  return new Error(`${path} is being written by another call; try again later`);
}

function draftOf(file) {
  const name = createHash('sha256').update(basename(file)).digest('hex').slice(0, 16);
  return join(dirname(file), `.${name}.draft`);
}

function claim(draft, path) {
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; pause(10)) {
    const handle = tryClaim(draft);
    if (handle !== undefined) return handle;
  }
  throw busy(path);
}

function tryClaim(draft) {
  try {
    return openSync(draft, 'wx', 0o666);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const claimed = statSync(draft, { throwIfNoEntry: false });
    if (claimed && Date.now() - claimed.mtimeMs > ABANDONED_MS) rmSync(draft, { force: true });
    return undefined;
  }
}

function pause(milliseconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Half a surrogate pair has no form in UTF-8 and would silently become another character. */
function wellFormed(content) {
  if (!content.isWellFormed()) throw new Error('the text contains half a surrogate pair, which can not be written');
  return content;
}
