import { describe, expect, test } from 'vitest';
import { thrownBy } from '../../test/fixtures/thrown-by.ts';
import { createAddressRule, createPublicRule } from './address-rules.ts';

const isPublicAddress = createPublicRule();

describe('the public internet', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '223.255.255.255',
    '2001:200::1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:82a::200e',
  ])('has %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([
    ['this host', '0.0.0.0'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['carrier NAT', '100.64.0.1'],
    ['carrier NAT, metadata', '100.100.100.200'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local, metadata', '169.254.169.254'],
    ['metadata', '168.63.129.16'],
    ['protocol assignments, metadata', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.7'],
    ['documentation', '203.0.113.9'],
    ['6to4 relays', '192.88.99.1'],
    ['benchmarks', '198.19.255.255'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped loopback, in hex', '::ffff:7f00:1'],
    ['mapped public', '::ffff:8.8.8.8'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['local NAT64', '64:ff9b:1::1'],
    ['discard', '100::1'],
    ['Teredo', '2001:0:4136:e378::1'],
    ['documentation', '2001:db8::1'],
    ['6to4', '2002:7f00:1::1'],
    ['documentation', '3fff::1'],
    ['segment routing', '5f00::1'],
    ['unique-local, metadata', 'fd00:ec2::254'],
    ['unique-local', 'fc00::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['no address', 'localhost'],
    ['no address', ''],
  ])('does not have %s: %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('ranges that the user allows', () => {
  const rule = createAddressRule(['127.0.0.0/8', '192.168.7.0/24', 'fd00::/8', '::1/128']);

  test.each([
    ['127.0.0.1', true],
    ['::ffff:127.0.0.1', true],
    ['192.168.7.255', true],
    ['192.168.8.0', false],
    ['fd12::1', true],
    ['fe80::1', false],
    ['::1', true],
    ['8.8.8.8', true],
    ['localhost', false],
  ])('decide about %s: %j', (address, allowed) => {
    expect(rule(address)).toBe(allowed);
  });

  test.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '::/129', 'intranet/8', ''])(
    'must be ranges, not %j',
    (range) => {
      expect(thrownBy(() => createAddressRule([range]))).toMatchObject({ code: 'invalid_config' });
    },
  );
});
