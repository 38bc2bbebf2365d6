import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { isRecord } from '../core/record.ts';
import { messageOf } from '../core/errors.ts';

/**
 * A line on which an answer is heard only while somebody waits for it. One that comes after its request was cancelled, or
 * twice, is to be ignored by the protocol; the SDK's client takes it for an error of the line, and writes it out in full.
 * It does the same with progress that nobody has asked for, and we never ask.
 *
 * Invariant: nothing that a server sends throws into whoever reads from it.
 */
export class AwaitedAnswers implements Transport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: Transport['onmessage'];

  readonly #line: Transport;
  readonly #awaited = new Set<number>();

  constructor(line: Transport) {
    this.#line = line;
    line.onclose = () => this.onclose?.();
    line.onerror = (error) => this.onerror?.(error);
    line.onmessage = (message) => this.#hear(message);
  }

  get sessionId(): string | undefined {
    return this.#line.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#line.setProtocolVersion?.(version);
  }

  async start(): Promise<void> {
    await this.#line.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ('method' in message && 'id' in message) this.#awaited.add(Number(message.id));
    else if ('method' in message && message.method === 'notifications/cancelled') this.#giveUp(message.params);
    await this.#line.send(message, options);
  }

  async close(): Promise<void> {
    await this.#line.close();
  }

  #giveUp(params: unknown): void {
    if (isRecord(params)) this.#awaited.delete(Number(params['requestId']));
  }

  #hear(message: JSONRPCMessage): void {
    const isAnswer = !('method' in message);
    // Ids are compared as the SDK does it.
    if (isAnswer ? !this.#awaited.delete(Number(message.id)) : message.method === 'notifications/progress') return;
    try {
      this.onmessage?.(message);
    } catch (thrown) {
      this.onerror?.(thrown instanceof Error ? thrown : new Error(messageOf(thrown)));
    }
  }
}
