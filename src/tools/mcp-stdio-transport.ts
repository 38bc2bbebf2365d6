import { spawn, type ChildProcess } from 'node:child_process';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { JSONRPCMessageSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Clock, Timer } from '../core/clock.ts';
import { exactJson } from '../core/exact-json.ts';
import { createLineSplitter } from '../core/line-splitter.ts';
import { isRecord } from '../core/record.ts';
import { doneWithin } from '../core/done-within.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import { createOutputTail, TAIL_BYTES } from './output-tail.ts';
import { signalGroup } from './process-group.ts';

/** The program of an MCP server. */
export type StdioOrder = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

/** What it needs from around it. */
export type StdioSurroundings = { readonly clock: Clock; readonly guard: OrphanGuard };

/** Longest message of a server. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** What a server may say between two requests of ours. */
const MAX_BYTES_PER_REQUEST = 8 * MAX_MESSAGE_BYTES;
/** What may wait for a server that does not read. */
const MAX_UNREAD_BYTES = 2 * MAX_MESSAGE_BYTES;
/** For ending by itself once its stdin is closed, and again after SIGTERM. */
const GRACE_MS = 1_000;
/** How long after the process is gone its pipes may stay open: a grandchild that left the group may hold them. */
const DRAIN_MS = 500;

/**
 * Speaks to an MCP server over its stdin and stdout. The SDK's own transport hands down part of Skein's environment, and
 * ends only the process itself.
 *
 * Invariants: (1) the server and what it starts are a process group, which is killed when the server ends; (2) `onclose` is
 * called exactly once after a start, when that is done; (3) memory is bounded whatever the server writes or leaves unread.
 */
export class McpStdioTransport implements Transport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: Transport['onmessage'];

  readonly #order: StdioOrder;
  readonly #around: StdioSurroundings;
  readonly #printed = createOutputTail();
  readonly #lines = createLineSplitter(MAX_MESSAGE_BYTES);
  readonly #ended = Promise.withResolvers<void>();
  #child: ChildProcess | undefined;
  #drain: Timer | undefined;
  #bytes = 0;
  #fault: string | undefined;
  #isOver = false;

  constructor(order: StdioOrder, around: StdioSurroundings) {
    this.#order = order;
    this.#around = around;
  }

  /** Starts the program; rejects when there is none. */
  async start(): Promise<void> {
    const { command, args, cwd, env } = this.#order;
    const child = spawn(command, args, { cwd, env, stdio: 'pipe', detached: true, windowsHide: true });
    this.#child = child;
    const started = Promise.withResolvers<void>();
    child.on('error', (error) => {
      started.reject(error);
      if (child.pid === undefined) this.#finish();
    });
    child.on('spawn', () => started.resolve());
    child.on('exit', () => this.#exited(child));
    child.on('close', () => this.#finish());
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stderr.on('data', (chunk: Buffer) => this.#printed.push(chunk));
    // A broken pipe: how the process ends is what counts.
    for (const stream of child.stdio) stream?.on('error', (error: Error) => this.onerror?.(error));
    if (child.pid !== undefined) this.#around.guard.watch(child.pid);
    await started.promise;
  }

  /** Sends a message; resolves when it is handed over. */
  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) throw new Error('the server is not running');
    if (stdin.writableLength > MAX_UNREAD_BYTES) throw this.#kill('it does not read what it is sent');
    if ('method' in message && 'id' in message) this.#bytes = 0;
    const handed = Promise.withResolvers<void>();
    stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? handed.reject(error) : handed.resolve()));
    await handed.promise;
  }

  /** Lets the server end by itself, then ends it. */
  async close(): Promise<void> {
    const pid = this.#child?.pid;
    const { clock } = this.#around;
    if (pid === undefined || this.#isOver) return;
    this.#child?.stdin?.end();
    if (await doneWithin(GRACE_MS, this.#ended.promise, clock)) return;
    signalGroup(pid, 'SIGTERM');
    if (await doneWithin(GRACE_MS, this.#ended.promise, clock)) return;
    this.kill();
    await this.#ended.promise;
  }

  /** Kills the server and everything it started. */
  kill(): void {
    const pid = this.#child?.pid;
    if (pid !== undefined && !this.#isOver) signalGroup(pid, 'SIGKILL');
  }

  /** Why we have ended it, if we had to. */
  fault(): string | undefined {
    return this.#fault;
  }

  /** The end of what it printed that is no message. */
  printed(): string {
    return this.#printed.text();
  }

  #read(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_BYTES_PER_REQUEST) {
      this.#kill('it does not stop writing');
      return;
    }
    const lines = this.#lines.push(chunk);
    if (!lines) this.#kill(`it wrote a message of more than ${MAX_MESSAGE_BYTES} bytes`);
    else for (const line of lines) this.#hear(line);
  }

  #hear(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = JSONRPCMessageSchema.parse(messageOf(line));
    } catch {
      // Many programs print to stdout what belongs on stderr.
      this.#printed.push(Buffer.from(`${line.slice(0, TAIL_BYTES)}\n`));
      return;
    }
    if (this.#fault === undefined) this.onmessage?.(message);
  }

  #kill(fault: string): Error {
    this.#fault ??= fault;
    this.kill();
    return new Error(fault);
  }

  #exited({ pid }: ChildProcess): void {
    // The group's id stays ours for as long as anyone is in it.
    if (pid !== undefined) signalGroup(pid, 'SIGKILL');
    this.#drain = this.#around.clock.setTimer(DRAIN_MS, () => this.#finish());
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#drain !== undefined) this.#around.clock.clearTimer(this.#drain);
    if (this.#child?.pid !== undefined) this.#around.guard.forget(this.#child.pid);
    for (const stream of this.#child?.stdio ?? []) stream?.destroy();
    this.#ended.resolve();
    this.onclose?.();
  }
}

/** Digits are kept in what a tool gives, and nowhere else: the bounds in a schema are to stay numbers. */
function messageOf(line: string): unknown {
  const message: unknown = JSON.parse(line);
  const result = isRecord(message) ? message['result'] : undefined;
  return isRecord(result) && 'structuredContent' in result ? exactJson(line) : message;
}
