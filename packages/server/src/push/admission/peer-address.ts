import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { ipv6Groups } from './ipv6-groups.ts';

/** The part of a request, of HTTP/1 or HTTP/2, that says who it is from. */
export interface PeerRequest {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: IncomingHttpHeaders;
}

/** Addresses that many machines may have, each in a network of its own: there stand proxies, containers and tests. */
const LOCAL = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  LOCAL.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  LOCAL.addSubnet(network, prefix, 'ipv6');
}

/**
 * The address by which the connections of one client are counted; `undefined` where they are not to be.
 *
 * That is the address at the other end of the connection if it is a public one: whatever such a client writes into its
 * header fields is not believed. If it is a local one (loopback, private, link-local, shared) or a Unix socket, a proxy
 * stands there, and the client is the last public address of `X-Forwarded-For`, to which each proxy adds whom it is
 * connected to: what a client wrote there itself stands before it. So neither nginx, Varnish nor Docker on this machine
 * or in its network has to be configured here. Only clients within the network can evade the count. Where a proxy has a
 * public address, its clients are counted as one.
 *
 * @returns an IPv4 address; the first 64 bits of an IPv6 address, since that is what one subscriber has
 * @see specs/push.md PUSH-28
 */
export function peerAddress(request: PeerRequest): string | undefined {
  const { remoteAddress } = request.socket;
  const peer = remoteAddress === undefined ? undefined : parseAddress(remoteAddress);
  if (peer && !isLocal(peer)) return keyOf(peer);
  const forwarded = request.headers['x-forwarded-for'];
  // Node joins repeated fields by commas, whatever its types say.
  const fields = String(forwarded ?? '').split(',');
  for (const field of fields.reverse()) {
    const address = parseAddress(field.trim());
    // Who does not say whom it is connected to does not vouch for what stands before it either.
    if (!address) return undefined;
    if (!isLocal(address)) return keyOf(address);
  }
  return undefined;
}

interface Address {
  readonly text: string;
  /** Absent for IPv4. */
  readonly groups?: readonly number[];
}

/** Reads an address, with a port or without. */
function parseAddress(text: string): Address | undefined {
  const [, bracketed, withPort] = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(text) ?? [];
  const bare = bracketed ?? withPort ?? text;
  const version = isIP(bare);
  if (version === 4) return { text: bare };
  if (version === 0) return undefined;
  const [address = ''] = bare.split('%', 1);
  const groups = ipv6Groups(address);
  return embeddedIpv4(groups) ?? { text: address, groups };
}

// What stands for an IPv4 address: ::ffff:0:0/96 (RFC 4291, 2.5.5.2) and 64:ff9b::/96 (RFC 6052, 2.1). The latter are
// all of one network, so that its 64 bits would tell nobody from anybody.
const EMBEDDING = ['0,0,0,0,0,65535', '100,65435,0,0,0,0'];

function embeddedIpv4(groups: readonly number[]): Address | undefined {
  if (!EMBEDDING.includes(groups.slice(0, 6).join())) return undefined;
  const bytes = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff]);
  return { text: bytes.join('.') };
}

function isLocal({ text, groups }: Address): boolean {
  return LOCAL.check(text, groups ? 'ipv6' : 'ipv4');
}

function keyOf({ text, groups }: Address): string {
  if (!groups) return text;
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}
