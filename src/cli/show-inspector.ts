import type { Runtime } from '../index.ts';
import type { CliIo } from './io.ts';
import { openBrowser } from './open-browser.ts';
import type { Show } from './show-progress.ts';

/** Says where a runtime's machines can be looked at, if they can, and opens the page for a person; disposing of it tidies up. */
export function showInspector(
  { inspector }: Pick<Runtime, 'inspector'>,
  { show, io }: { readonly show: Pick<Show, 'say'>; readonly io: CliIo },
): Disposable {
  if (inspector?.page === undefined) {
    if (inspector) show.say(`Inspector: a receiver of @statelyai/inspect connects to ${inspector.url}`);
    return { [Symbol.dispose]: () => undefined };
  }
  show.say(`Inspector: ${inspector.page}`);
  show.say('The page has https://stately.ai/inspect in it, and hands it threads, directives, states and their events.');
  return io.stderr.isTTY === true
    ? openBrowser(inspector.page, (line) => show.say(line))
    : { [Symbol.dispose]: () => undefined };
}
