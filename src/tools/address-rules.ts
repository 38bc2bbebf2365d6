import { BlockList, isIP } from 'node:net';
import { SkeinError } from '../core/errors.ts';

/** Whether an IP address may be connected to. */
export type AddressRule = (address: string) => boolean;

/** IPv4 that is not the public internet (IANA's special-purpose registry), and one address of a cloud's metadata service. */
const NOT_PUBLIC_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** All of IPv6 that is handed out to the public internet; unique-local, link-local, NAT64, IPv4-mapped lie outside. */
const PUBLIC_V6 = ['2000::/3'];
/** In it: protocol assignments (Teredo among them), documentation, and 6to4, which has an IPv4 address inside. */
const NOT_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

/** The public internet alone. Made for the first address: ranges are read with regular expressions of Node's that cost a start 15 ms. */
export function createPublicRule(): AddressRule {
  let rule: AddressRule | undefined;
  return (address) => (rule ??= readPublicRule())(address);
}

/**
 * What the public rule allows, and the ranges given as CIDR: what `tools.allow_private` of agent.yaml lists.
 *
 * @throws SkeinError `invalid_config` for what is no range.
 */
export function createAddressRule(allowed: readonly string[], isPublic = createPublicRule()): AddressRule {
  const ranges = blockList(allowed);
  return (address) => isPublic(address) || contains(ranges, address);
}

function readPublicRule(): AddressRule {
  const refusedV4 = blockList(NOT_PUBLIC_V4);
  const publicV6 = blockList(PUBLIC_V6);
  const refusedV6 = blockList(NOT_PUBLIC_V6);
  return (address) => {
    const bare = plain(address);
    if (isIP(bare) === 4) return !refusedV4.check(bare, 'ipv4');
    return isIP(bare) === 6 && publicV6.check(bare, 'ipv6') && !refusedV6.check(bare, 'ipv6');
  };
}

function contains(ranges: BlockList, address: string): boolean {
  const bare = plain(address);
  const family = isIP(bare);
  return family !== 0 && ranges.check(bare, family === 4 ? 'ipv4' : 'ipv6');
}

/** Without the zone of a link-local address. */
function plain(address: string): string {
  return address.split('%', 1)[0] ?? '';
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) addRange(list, range);
  return list;
}

function addRange(list: BlockList, range: string): void {
  const [address = '', bits = ''] = range.split('/');
  const family = isIP(address);
  const prefix = /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (family === 0 || !(prefix <= (family === 4 ? 32 : 128))) {
    throw new SkeinError('invalid_config', `"${range}" is no range of addresses such as 10.0.0.0/8`);
  }
  list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
}
