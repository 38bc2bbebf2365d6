import { useEffect, useState } from 'preact/hooks';
import { parseRoute, routeHref, type Route } from '../model/route.ts';

/** What the address says is to be shown. */
export function useRoute(): Route {
  const [route, setRoute] = useState(parseRoute(location.hash));
  useEffect(() => {
    const changed = (): void => setRoute(parseRoute(location.hash));
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return route;
}

/** Shows something else, at once: the browser tells of the address in a task of its own, and a key that is pressed before belongs to what is shown then. */
export function goTo(route: Route): void {
  location.hash = routeHref(route);
  dispatchEvent(new HashChangeEvent('hashchange'));
}
