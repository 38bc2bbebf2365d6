/*
 * Child process of delays.test.ts: keeps others from writing to the database at argv[2] for argv[3] milliseconds,
 * as somebody who looks into it with a shell of SQLite may. Prints `locked` when it does, and when it is
 * about to let go the time, in milliseconds.
 */
import { writeSync } from 'node:fs';
import Database from 'better-sqlite3';

const [, , path = '', milliseconds] = process.argv;
const db = new Database(path, { fileMustExist: true });
db.exec('BEGIN IMMEDIATE');
writeSync(1, 'locked\n');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(milliseconds));
writeSync(1, `${Date.now()}\n`);
db.exec('ROLLBACK');
db.close();
