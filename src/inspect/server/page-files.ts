import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Finds a file of the page by the path of its address; undefined: there is none. */
export type PageFiles = (path: string) => Response | undefined;

type PageFile = { readonly body: Buffer<ArrayBuffer>; readonly headers: Readonly<Record<string, string>> };

/** Reads the built page into memory: what is not in it can't be asked for, whatever the path says. */
export function readPageFiles(folder: string): PageFiles {
  const files = new Map(listFiles(folder).map((file) => [addressOf(folder, file), readPageFile(folder, file)]));
  const index = files.get('/index.html');
  if (index) files.set('/', index);
  return (path) => {
    const file = files.get(path);
    return file && new Response(file.body, { headers: { ...SECURITY_HEADERS, ...file.headers } });
  };
}

function listFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

function addressOf(folder: string, file: string): string {
  return `/${relative(folder, file).split(sep).join('/')}`;
}

function readPageFile(folder: string, file: string): PageFile {
  const type = TYPES[extname(file)] ?? 'application/octet-stream';
  // The build puts a digest of its content into the name of every asset.
  const isNamedByContent = addressOf(folder, file).startsWith('/assets/');
  const cache = isNamedByContent ? 'public, max-age=31536000, immutable' : 'no-store';
  return { body: Buffer.from(readFileSync(file)), headers: { 'content-type': type, 'cache-control': cache } };
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
