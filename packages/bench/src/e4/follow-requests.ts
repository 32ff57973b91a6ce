import { type ClientRequest, get } from 'node:http';
import { EventBlocks } from '../load/event-blocks.ts';
import { findStamp, readStamp } from '../load/stamp.ts';
import { providerType, REQUESTS, readUser } from './messages.ts';

/** A request as its provider reads it. */
export interface ReceivedRequest {
  readonly user: number;
  /** The instant that it was scheduled for, microseconds. */
  readonly stampMicros: number;
  /** Length of the event that it came in. */
  readonly bytes: number;
}

/**
 * Follows the requests for one provider by push.
 *
 * @returns once the server has answered; call what it resolves to to end it
 * @throws Error - the server did not take the connection
 */
export function followRequests(
  { port, provider }: { readonly port: number; readonly provider: number },
  onRequest: (request: ReceivedRequest) => void,
): Promise<() => void> {
  const blocks = new EventBlocks();
  const take = (bytes: Buffer, start: number, end: number) => {
    const at = findStamp(bytes, start, end);
    const user = at < 0 ? -1 : readUser(bytes, start, end);
    if (user >= 0) onRequest({ user, stampMicros: readStamp(bytes, at), bytes: end - start });
  };
  return new Promise((resolve, reject) => {
    const path = `/${REQUESTS}/events?type=${encodeURIComponent(providerType(provider))}`;
    const headers = { accept: 'text/event-stream', 'accept-encoding': 'identity' };
    const request: ClientRequest = get({ port, host: '127.0.0.1', path, headers, agent: false }, (response) => {
      response.on('data', (bytes: Buffer) => blocks.feed(bytes, take));
      // What is cut ends so; what does not come any more is missed by who asked.
      response.on('error', () => undefined);
      if (response.statusCode === 200) resolve(() => void request.destroy());
      else reject(new Error(`The stream of requests answered ${response.statusCode}`));
    });
    request.on('error', reject);
  });
}
