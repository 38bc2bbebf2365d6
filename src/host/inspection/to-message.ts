import { MESSAGE_FRAME, type ActorNews, type InspectionMessage } from '../../core/inspection.ts';
import { supervisorMachine } from '../../../machines/supervisor.machine.ts';
import { threadMachine } from '../../../machines/thread.machine.ts';
import { definitionOf, plainDefinition } from './definition.ts';

/** Makes the message of news that come from a place: a worker or the host. */
export type ToMessage = (news: ActorNews, place: string) => InspectionMessage;

/** `clean` takes secrets out of what a machine is; news have come without. */
export function createToMessage(clean: (text: string) => string): ToMessage {
  const charts = { thread: definitionOf(threadMachine, clean), supervisor: definitionOf(supervisorMachine, clean) };
  return (news, place) => {
    if (news.type !== '@xstate.actor') return { text: placedText(news, place) };
    const { machine, ...rest } = news;
    return { text: placedText(rest, place), definition: machine ? charts[machine] : plainDefinition(news.name) };
  };
}

/** Two workers have the same ids: each one gets the name of the place it is from, once; here and nowhere else. */
function placedText(news: ActorNews, place: string): string {
  const placed = (id: string): string => `${place}:${id}`;
  return JSON.stringify({
    ...news,
    sessionId: placed(news.sessionId),
    rootId: placed(news.rootId),
    ...('parentId' in news && news.parentId !== undefined && { parentId: placed(news.parentId) }),
    ...('sourceId' in news && news.sourceId !== undefined && { sourceId: placed(news.sourceId) }),
    ...MESSAGE_FRAME,
  });
}
