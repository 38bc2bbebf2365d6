import { describe, expect, test } from 'vitest';
import { parseRoute, routeHref, type Route } from './route.ts';

describe('The address', () => {
  test.each<Route>([
    { view: 'threads' },
    { view: 'thread', id: 'thread-1', tab: 'machine' },
    { view: 'thread', id: 'a/b ?#%', tab: 'timeline' },
    { view: 'thread', id: 'thread-1', tab: 'transcript', at: 12 },
    { view: 'approvals' },
    { view: 'search', query: 'rate limit & more' },
  ])('says %j and is read as that', (route) => {
    expect(parseRoute(routeHref(route))).toEqual(route);
  });

  test.each([
    ['', { view: 'threads' }],
    ['#/nothing', { view: 'threads' }],
    ['#/thread/', { view: 'threads' }],
    ['#/thread/x/transcript?at=1e3', { view: 'thread', id: 'x', tab: 'transcript' }],
    ['#/thread/x/unknown', { view: 'thread', id: 'x', tab: 'machine' }],
    ['#/thread/%E0%A4%A/budget', { view: 'thread', id: '%E0%A4%A', tab: 'budget' }],
  ])('%j shows what it can', (fragment, route) => {
    expect(parseRoute(fragment)).toEqual(route);
  });
});
