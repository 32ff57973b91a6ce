/*
 * Which hosts a command contacts: any, or none of a private network. `check`, `follow` and `query` have it as `--hosts`.
 *
 *   --hosts absent, https://example.org/s -> lookup -> 93.184.215.14 -> 'public'; http://localhost:3000/s -> 'any'
 *   'public', a redirect to http://169.254.169.254/ -> refused, and nothing is sent
 *
 * The client checks names before it asks, and `fetch` looks them up again. So each socket of `fetch` is judged too, when
 * it is connected and before anything is sent: what a name leads to by then cannot be another address.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type LookupAddress, lookup as lookupName } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { createLiveClient, isPublicAddress, type LiveClient, type LiveClientOptions } from '@ldes-live/client';

/** Which hosts a command contacts: any, or none of a private network. */
export type ContactHosts = 'any' | 'public';

/** Where the `fetch` of Node.js announces each connection that it opens, before it sends anything. */
export const CONNECTED = 'undici:client:connected';

/**
 * A client for some URLs, each kept to the hosts that were asked for, else to those like its own. `close` ends what watches
 * the connections of the process, where all URLs are public.
 */
export async function clientFor(
  urls: readonly string[],
  asked: ContactHosts | undefined,
  options: Omit<LiveClientOptions, 'hosts'>,
): Promise<{ readonly client: LiveClient; readonly close: () => void }> {
  const hosts = new Map<string, ContactHosts>();
  for (const url of urls) hosts.set(url, asked ?? (await hostsOf(url)));
  const clients = new Map(
    [...new Set(hosts.values())].map((kind) => [kind, createLiveClient({ ...options, hosts: kind })]),
  );
  const follow: LiveClient['follow'] = (url, request) =>
    (clients.get(hosts.get(url) ?? 'public') as LiveClient).follow(url, request);
  const close = clients.has('any') ? () => {} : refusePrivateSockets();
  return { client: { mal: options.mal, follow }, close };
}

/** Ends each connection of `fetch` in this process to an address that is not public. Returns what ends that. */
export function refusePrivateSockets(): () => void {
  const connected = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket };
    const { remoteAddress } = socket;
    if (remoteAddress !== undefined && !isPublicAddress(remoteAddress))
      socket.destroy(new Error(notPublic(remoteAddress)));
  };
  subscribe(CONNECTED, connected);
  return () => void unsubscribe(CONNECTED, connected);
}

/**
 * The hosts to contact where nothing else was said: what is on the public internet has no reason to lead into the network
 * that the command runs in, what is inside may lead anywhere. A name that cannot be looked up counts as public.
 */
export async function hostsOf(url: string, lookup: LookupFunction = lookupName): Promise<ContactHosts> {
  const hostname = bareHost(url);
  if (isIP(hostname)) return isPublicAddress(hostname) ? 'public' : 'any';
  return await new Promise((resolve) => {
    lookup(hostname, { all: true }, (error, found) => {
      // Whoever has a public address may name one of any network beside it.
      resolve(error || addressesIn(found).some(isPublicAddress) ? 'public' : 'any');
    });
  });
}

/** Looks names up for connections, and fails where one of the addresses is not public: what is connected to was checked. */
export function publicLookup(lookup: LookupFunction = lookupName): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      // With an error there is nothing else.
      if (error) return callback(error, '');
      const forbidden = privateAmong(found);
      const [first] = found as LookupAddress[];
      if (forbidden !== undefined) callback(new Error(notPublic(forbidden)), '');
      else if (options.all) callback(null, found);
      else callback(null, first?.address ?? '', first?.family);
    });
  };
}

function privateAmong(found: string | readonly LookupAddress[]): string | undefined {
  return addressesIn(found).find((address) => !isPublicAddress(address));
}

function addressesIn(found: string | readonly LookupAddress[]): readonly string[] {
  return typeof found === 'string' ? [found] : found.map(({ address }) => address);
}

// Of a URL with an address; names are judged when they are looked up.
export function forbiddenAddress(url: string): string | undefined {
  const hostname = bareHost(url);
  return isIP(hostname) && !isPublicAddress(hostname) ? notPublic(hostname) : undefined;
}

function bareHost(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

function notPublic(address: string): string {
  return `${address} is not a public address, and was not requested (--hosts any allows all)`;
}
