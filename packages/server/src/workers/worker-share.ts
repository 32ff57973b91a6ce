import type { PushSettings } from '../options.ts';

/**
 * What one of several workers may hold and take on, so that together they keep to what the server was given. What counts
 * for one connection stays as it is, and so does the memory of packets, which each process has for itself.
 *
 * @param workers - how many share: 1 or more
 * @see specs/push.md PUSH-50
 */
export function workerShare(settings: PushSettings, workers: number): PushSettings {
  const share = (limit: number) => Math.ceil(limit / workers);
  return {
    ...settings,
    limitConnections: share(settings.limitConnections),
    limitConnectionsPerAddress: share(settings.limitConnectionsPerAddress),
    limitAcceptsPerSecond: share(settings.limitAcceptsPerSecond),
    limitWaitingAccepts: share(settings.limitWaitingAccepts),
  };
}
