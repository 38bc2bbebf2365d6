import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { SearchAnswer, SearchHit } from '../../api.ts';
import { asWords, formatCount, formatTime, shortId } from '../model/format-values.ts';
import { markedParts } from '../model/marked-parts.ts';
import { routeHref } from '../model/route.ts';
import { formText } from '../parts/form-text.ts';
import { goTo } from '../parts/use-route.ts';
import { useNow } from '../parts/use-now.ts';
import { useDashboard } from './context.ts';

/** Search over the transcripts of all threads. */
export function SearchView({ query }: { readonly query: string }): VNode {
  const { found, more, again } = useSearch(query);
  const now = useNow(60_000);
  return (
    <article>
      <h1>Search</h1>
      <form
        class="search-form"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          const asked = formText(new FormData(event.currentTarget), 'q');
          // More may have been said since.
          if (asked === query) again();
          else goTo({ view: 'search', query: asked });
        }}
      >
        <input
          name="q"
          type="search"
          aria-label="Text in transcripts"
          placeholder="Text in transcripts"
          defaultValue={query}
          maxLength={200}
          ref={focusAtFirst}
        />
        <button type="submit" class="button button-main">
          Search
        </button>
      </form>
      {query !== '' && (
        <p class="quiet" role="status">
          {formatCount(found.hits.length)} found in {formatCount(found.searched)} threads
          {found.state === 'reading' ? '…' : found.state === 'more' ? ' so far' : ''}
        </p>
      )}
      {typeof found.state === 'object' && (
        <p class="failure" role="alert">
          {found.state.failed}
        </p>
      )}
      <ol class="hits">
        {found.hits.map((hit) => (
          <Hit key={`${hit.thread_id} ${hit.sequence}`} hit={hit} query={query} now={now} />
        ))}
      </ol>
      {found.state === 'more' && (
        <button type="button" class="button" onClick={more}>
          Search on
        </button>
      )}
    </article>
  );
}

function Hit({ hit, query, now }: { readonly hit: SearchHit; readonly query: string; readonly now: number }): VNode {
  return (
    <li class="hit">
      <a href={routeHref({ view: 'thread', id: hit.thread_id, tab: 'transcript', at: hit.sequence })}>
        {hit.directive}
      </a>{' '}
      <span class="id">{shortId(hit.thread_id)}</span>{' '}
      <span class="quiet">
        {asWords(hit.event_type)} #{hit.sequence}, {formatTime(hit.at_ms, now)}
      </span>
      <p class="snippet">
        {markedParts(hit.snippet, query).map(({ text, isMarked }, at) =>
          isMarked ? <mark key={at}>{text}</mark> : text,
        )}
      </p>
    </li>
  );
}

type Found = {
  readonly hits: readonly SearchHit[];
  readonly searched: number;
  readonly next: string | undefined;
  readonly state: 'idle' | 'reading' | 'more' | 'all' | { readonly failed: string };
};

const NOTHING: Found = { hits: [], searched: 0, next: undefined, state: 'idle' };

type Search = { readonly found: Found; readonly more: () => void; readonly again: () => void };

function useSearch(query: string): Search {
  const { api } = useDashboard();
  const [found, setFound] = useState(NOTHING);
  const [round, setRound] = useState(0);
  const read = async (before: Found, signal?: AbortSignal): Promise<void> => {
    setFound({ ...before, state: 'reading' });
    const answer = await api.get<SearchAnswer>('search', {
      query: { query, cursor: before.next },
      ...(signal && { signal }),
    });
    if (signal?.aborted) return;
    if (!answer.ok) return setFound({ ...before, state: { failed: answer.failure.message } });
    const { hits, searched, next } = answer.value;
    const all = { hits: [...before.hits, ...hits], searched: before.searched + searched, next };
    setFound({ ...all, state: next === undefined ? 'all' : 'more' });
  };
  useEffect(() => {
    if (query === '') return;
    const gone = new AbortController();
    void read(NOTHING, gone.signal); // The client answers failures.
    return () => gone.abort();
  }, [query, round]);
  return { found, more: () => void read(found) /* As above. */, again: () => setRound(round + 1) };
}

function focusAtFirst(input: HTMLInputElement | null): void {
  input?.focus();
}
