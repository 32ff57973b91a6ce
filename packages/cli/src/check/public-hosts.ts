import { lookup as lookupName } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '@ldes-live/client';

/** Which hosts a check asks: any, or none of a private network. */
export type CheckedHosts = 'any' | 'public';

/**
 * The hosts to ask where nothing else was said: what is on the public internet has no reason to lead into the network
 * that the check runs in, what is inside may lead anywhere. A name that cannot be looked up counts as public.
 */
export function hostsOf(url: string, lookup: LookupFunction = lookupName): Promise<CheckedHosts> {
  const hostname = bareHost(url);
  if (isIP(hostname)) return Promise.resolve(isPublicAddress(hostname) ? 'public' : 'any');
  return new Promise((resolve) => {
    lookup(hostname, { all: true }, (error, found) => {
      resolve(error || privateAmong(found) === undefined ? 'public' : 'any');
    });
  });
}

/** Why a URL may not be asked for by its address alone; `undefined` for one with a name, which {@link publicLookup} judges. */
export function forbiddenAddress(url: string): string | undefined {
  const hostname = bareHost(url);
  return isIP(hostname) && !isPublicAddress(hostname) ? notPublic(hostname) : undefined;
}

/** Looks names up for connections, and fails where one of the addresses is not public: what is connected to was checked. */
export function publicLookup(lookup: LookupFunction = lookupName): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = typeof found === 'string' ? [] : found;
      const forbidden = privateAmong(found);
      const [first] = addresses;
      if (error) callback(error, '');
      else if (forbidden !== undefined) callback(new Error(notPublic(forbidden)), '');
      else if (options.all) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    });
  };
}

function privateAmong(found: Parameters<Parameters<LookupFunction>[2]>[1]): string | undefined {
  if (typeof found === 'string') return isPublicAddress(found) ? undefined : found;
  return found?.find(({ address }) => !isPublicAddress(address))?.address;
}

function bareHost(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

function notPublic(address: string): string {
  return `${address} is not a public address, and was not asked (--hosts any asks all)`;
}
