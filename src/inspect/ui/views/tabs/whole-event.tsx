import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { EventAnswer, LogEvent } from '../../../api.ts';
import { textOf } from '../../model/transcript.ts';
import { useDashboard } from '../context.ts';

/** An event of which a part is shown, and what of it is wanted. */
export type WholeEventProps = {
  /** Of its thread. */
  readonly id: string;
  readonly sequence: number;
  /** What is said to be cut. */
  readonly what: string;
  /** Default: all of its payload. */
  readonly pick?: (payload: LogEvent['payload']) => unknown;
};

/** Says that an event was cut, and shows it whole when it is asked for. */
export function WholeEvent({ id, sequence, what, pick = (payload) => payload }: WholeEventProps): VNode {
  const { api } = useDashboard();
  const [text, setText] = useState<string | undefined>(undefined);
  if (text !== undefined) return <pre class="whole">{text}</pre>;
  const read = async (): Promise<void> => {
    const answer = await api.get<EventAnswer>(`threads/${encodeURIComponent(id)}/events/${sequence}`);
    setText(answer.ok ? textOf(pick(answer.value.event.payload)) : answer.failure.message);
  };
  return (
    <button type="button" class="link" onClick={() => void read() /* The client answers failures. */}>
      {what} was cut: show it whole
    </button>
  );
}
