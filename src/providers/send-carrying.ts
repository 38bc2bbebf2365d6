import { describeThrown, type CallFault } from './call-failure.ts';

/** What goes along of earlier answers: under which name it was given, and by which words a server refuses it. */
export type Carried = {
  readonly carryName: string;
  readonly refusal: RegExp;
  /** How a refusal is read, if not as the others. */
  readonly describe?: (thrown: unknown) => CallFault;
};

/** Sends a request with what earlier answers carry, and where the server refuses that (HTTP 400), once more without it. */
export async function sendCarrying(
  send: (carryName: string | undefined) => Promise<Response>,
  { carryName, refusal, describe = describeThrown }: Carried,
): Promise<Response> {
  try {
    return await send(carryName);
  } catch (thrown) {
    const { statusCode, message } = describe(thrown);
    if (statusCode !== 400 || !refusal.test(message)) throw thrown;
    return send(undefined);
  }
}
