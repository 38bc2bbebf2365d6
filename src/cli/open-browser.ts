import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { attempt } from '../core/result.ts';

/** A page that is left for a browser; disposing of it removes it. */
export type LeftPage = Disposable;

/**
 * Opens an address with a secret in it, which was printed, in the user's browser. Other users see the arguments of every
 * program: the browser is given a file that only its user can read, which leads to the address.
 */
export function openBrowser(url: string, say: (line: string) => void): LeftPage {
  const left = attempt(() => leavePage(url));
  if (!left.ok) {
    say(`No browser can be opened (${left.failure.message}): open the address above`);
    return { [Symbol.dispose]: () => undefined };
  }
  const { folder, file } = left.value;
  // Said whatever comes of it: what opens a browser ends well also where that may not read the file, as one from a snap.
  say('If no browser shows the page, open the address above');
  const [program = 'xdg-open', ...args] = PROGRAMS[process.platform] ?? [];
  const child = spawn(program, [...args, pathToFileURL(file).href], { stdio: 'ignore', detached: true });
  // There is no such program.
  child.once('error', () => undefined);
  child.unref();
  return { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A file in a folder of its own. @throws the error of the file system; nothing is left then */
function leavePage(url: string): { readonly folder: string; readonly file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'skein-ui-'));
  const file = join(folder, 'open.html');
  try {
    writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${url}">`, { mode: 0o600 });
    return { folder, file };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

const PROGRAMS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
