import type { VNode } from 'preact';
import type { PromptAnswer, PromptPart } from '../../../api.ts';
import { formatCount } from '../../model/format-values.ts';
import { useResource } from '../../live/use-resource.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { useDashboard, usePage } from '../context.ts';
import { WholeEvent } from './whole-event.tsx';

/** What the model was sent at the start, by where it is from. */
export function PromptTab({ id }: { readonly id: string }): VNode {
  const { api } = useDashboard();
  const version = usePage((state) => state.threadVersion);
  const answer = useResource<PromptAnswer>({
    key: id,
    version,
    // The user's message is the last part.
    isFinal: ({ parts }) => parts.some(({ role }) => role === 'user'),
    read: (signal) => api.get(`threads/${encodeURIComponent(id)}/prompt`, { signal }),
  });
  const parts = answer.value?.parts ?? [];
  const whole = parts.reduce((sum, { length }) => sum + length, 0);
  return (
    <section class="prompt">
      <FailureNote of={answer} what="The prompt" />
      {answer.value && parts.length === 0 && <p class="quiet">Nothing was sent yet.</p>}
      {whole > 0 && <Shares parts={parts} whole={whole} />}
      {parts.map((part, at) => (
        <section key={at} class={`prompt-part fill-line-${at % 6}`}>
          <h2>
            {part.role} <span class="quiet number">{formatCount(part.length)} characters</span>
          </h2>
          <ul class="sources">
            {part.sources.map(({ kind, id }) => (
              <li key={`${kind} ${id}`}>
                <span class="source-kind">{kind}</span> <code>{id}</code>
              </li>
            ))}
            {part.sources.length === 0 && <li class="quiet">The log does not tell where it is from.</li>}
          </ul>
          <div class="entry-text">{part.text}</div>
          {part.cut && <WholeEvent id={id} sequence={part.sequence} what="The text" pick={({ text }) => text} />}
        </section>
      ))}
    </section>
  );
}

function Shares({ parts, whole }: { readonly parts: readonly PromptPart[]; readonly whole: number }): VNode {
  return (
    <div class="shares" role="img" aria-label={parts.map((part) => share(part, whole)).join(', ')}>
      {parts.map((part, at) => (
        <span key={at} class={`share fill-part-${at % 6}`} style={{ flexGrow: String(part.length) }}>
          <span class="share-text">{share(part, whole)}</span>
        </span>
      ))}
    </div>
  );
}

function share({ role, length }: PromptPart, whole: number): string {
  return `${role} ${Math.round((length / whole) * 100)} %`;
}
