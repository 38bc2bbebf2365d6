import { MESSAGE_FRAME, type ActorEnd, type ActorNews, type InspectionMessage } from '../../core/inspection.ts';
import { supervisorMachine } from '../../../machines/supervisor.machine.ts';
import { threadMachine } from '../../../machines/thread.machine.ts';
import { definitionOf, plainDefinition } from './definition.ts';

/** Makes the message of news that come from a place: a worker or the host. */
export type ToMessage = (news: ActorNews, place: string) => InspectionMessage;

/** `clean` takes secrets out of what a machine is; news have come without. */
export function createToMessage(clean: (text: string) => string): ToMessage {
  const charts = { thread: definitionOf(threadMachine, clean), supervisor: definitionOf(supervisorMachine, clean) };
  return (given, place) => {
    const news = placedNews(given, place);
    const { sessionId, rootId, createdAt } = news;
    const end = endOf(news);
    if (news.type !== '@xstate.actor') return { sessionId, text: textOf(news), ...(end && { end }) };
    const { machine, ...rest } = news;
    const definition = machine ? charts[machine] : plainDefinition(news.name);
    const event = { type: 'TOLD_AGAIN' };
    const again = textOf({ type: '@xstate.snapshot', sessionId, rootId, createdAt, event, snapshot: news.snapshot });
    return { sessionId, text: textOf(rest), announces: { rootId, definition, again }, ...(end && { end }) };
  };
}

/** Two workers have the same ids: each one gets the name of the place it is from, once; here and nowhere else. */
function placedNews(news: ActorNews, place: string): ActorNews {
  const placed = (id: string): string => `${place}:${id}`;
  return {
    ...news,
    sessionId: placed(news.sessionId),
    rootId: placed(news.rootId),
    ...('parentId' in news && news.parentId !== undefined && { parentId: placed(news.parentId) }),
    ...('sourceId' in news && news.sourceId !== undefined && { sourceId: placed(news.sourceId) }),
  };
}

function textOf(news: object): string {
  return JSON.stringify({ ...news, ...MESSAGE_FRAME });
}

/** Longest state that is kept for those who miss an ending, characters: longer than any of our charts. */
const MAX_STATE = 100;

function endOf(news: ActorNews): ActorEnd | undefined {
  if (news.type === '@xstate.event' || news.snapshot.status === 'active') return undefined;
  const { status, value } = news.snapshot;
  const isShort = value !== undefined && JSON.stringify(value).length <= MAX_STATE;
  return { event: 'MISSED', status, ...(isShort && { value }) };
}
