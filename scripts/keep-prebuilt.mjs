// better-sqlite3 ships its binaries, and says so with `gypfile: false`; npm 10 sees only the lock file, which leaves that
// out, and calls a compiler that may not be there. Run after every change of the lock file: npm run lock:fix
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
lock.packages['node_modules/better-sqlite3'].gypfile = false;
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
