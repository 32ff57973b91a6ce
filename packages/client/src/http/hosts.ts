/*
 * Which hosts a client may ask: for programs that run inside a network and follow URLs that others chose.
 *
 * Before each request, also after a redirect, the host of its URL is held against the option `hosts`. A name is looked
 * up first, and each of its addresses has to be public:
 *
 *   guard('http://169.254.169.254/latest/meta-data')  -> ERR_HOST_FORBIDDEN, 169.254.169.254 is not a public address
 *   guard('https://intranet.example/')                -> ERR_HOST_FORBIDDEN, where it resolves to 10.0.0.7
 *
 * Left open: `fetch` looks the name up again, so a server of names that answers otherwise by then is not noticed.
 */
import { errors } from '../errors.ts';

/** Which hosts may be asked. */
export type Hosts = 'any' | 'public' | 'same';

export const HOSTS: readonly Hosts[] = ['any', 'public', 'same'];

/** The addresses of a name; `undefined` where the host of this program does not tell. */
export type AddressesOf = (hostname: string) => Promise<readonly string[] | undefined>;

/** Checks the URL of a request that is about to be sent; throws in any case where a problem is known already. */
export type HostGuard = (url: string, problem?: string) => Promise<void>;

/**
 * The guard that an option asks for; none where any host may be asked.
 *
 * It throws `ERR_HOST_FORBIDDEN` for a host that may not be asked, and `ERR_UNREACHABLE` for a name without an address.
 *
 * @param rootUrl - what is followed: its host is the one of `same`
 */
export function hostGuard(hosts: Hosts, rootUrl: string, addressesOf: AddressesOf): HostGuard | undefined {
  if (hosts === 'any') return undefined;
  const own = new URL(rootUrl).hostname;
  return async (url, problem) => {
    const { hostname } = new URL(url);
    const otherHost = hostname === own ? undefined : `its host is not ${own}`;
    const found = problem ?? (hosts === 'same' ? otherHost : await notPublic(url, hostname, addressesOf));
    if (found !== undefined) throw errors.ERR_HOST_FORBIDDEN({ url, hosts, problem: found });
  };
}

async function notPublic(url: string, hostname: string, addressesOf: AddressesOf): Promise<string | undefined> {
  if (/(^|\.)localhost\.?$/.test(hostname)) return `${hostname} is this machine`;
  const address = hostname.replace(/^\[|\]$/g, '');
  // A lookup that fails lets nothing through: the next one, that of the request, may not fail.
  const isAddress = address.includes(':') || /^\d+(\.\d+){3}$/.test(address);
  const found = isAddress
    ? [address]
    : await addressesOf(hostname).catch((cause) => {
        throw errors.ERR_UNREACHABLE({ url, problem: (cause as Error).message }, cause);
      });
  const forbidden = found?.find((one) => !isPublicAddress(one));
  return forbidden === undefined ? undefined : `${forbidden} is not a public address`;
}

interface Block {
  readonly first: number;
  readonly bits: number;
}

const block = (text: string): Block => {
  const [address = '', bits] = text.split('/');
  return { first: firstBits(address), bits: Number(bits) };
};

// https://www.iana.org/assignments/iana-ipv4-special-registry, and all from 224.0.0.0 on: multicast and reserved.
const SPECIAL_IPV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  '224.0.0.0/3',
].map(block);

// Of 2000::/3, which alone is unicast of the whole internet: protocols and tunnels, documentation, 6to4.
const GLOBAL_IPV6 = block('2000::/3');
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map(block);

/**
 * Whether an address is one of the public internet: not private, link-local, loopback, shared, multicast, reserved or for
 * documentation. An IPv4 address inside one of IPv6 (mapped, or of NAT64) is judged by itself.
 *
 * @param address - of IPv4 or IPv6, as text without brackets
 */
export function isPublicAddress(address: string): boolean {
  if (!address.includes(':')) return !isIn(SPECIAL_IPV4, firstBits(address));
  const words = wordsOfIpv6(address);
  const start = words.slice(0, 6).join();
  if (start === '0,0,0,0,0,65535' || start === '100,65435,0,0,0,0') return !isIn(SPECIAL_IPV4, pair(words, 6));
  const first = pair(words, 0);
  return isIn([GLOBAL_IPV6], first) && !isIn(SPECIAL_IPV6, first);
}

function isIn(blocks: readonly Block[], address: number): boolean {
  return blocks.some(({ first, bits }) => address >>> (32 - bits) === first >>> (32 - bits));
}

// The first 32 bits, which are all of IPv4.
function firstBits(address: string): number {
  if (address.includes(':')) return pair(wordsOfIpv6(address), 0);
  return address.split('.').reduce((number, part) => number * 256 + Number(part), 0);
}

function wordsOfIpv6(text: string): readonly number[] {
  // As URLs write it: without a zone, and with all 16 bits in hexadecimal digits.
  const { hostname } = new URL(`http://[${text.split('%', 1)[0]}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const [left, right] = [head, tail ?? ''].map((part) => part.split(':').filter((word) => word !== ''));
  const missing = 8 - (left?.length ?? 0) - (right?.length ?? 0);
  return [...(left ?? []), ...Array(missing).fill('0'), ...(right ?? [])].map((word) => Number.parseInt(word, 16));
}

function pair(words: readonly number[], at: number): number {
  return ((words[at] as number) * 65_536 + (words[at + 1] as number)) >>> 0;
}
