import { expect, test } from 'vitest';
import { hostsAt } from './listen-here.ts';

test.each([
  [4000, ['127.0.0.1:4000', 'localhost:4000']],
  // What is written without a port is at this one, and browsers leave it out.
  [80, ['127.0.0.1', '127.0.0.1:80', 'localhost', 'localhost:80']],
])('A request to this machine at port %i names one of the hosts %j', (port, hosts) => {
  expect([...hostsAt(port)].toSorted()).toEqual(hosts);
});
