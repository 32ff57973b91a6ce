/**
 * How rows go to a consumer, and what it reads them with: `live-client` has the server of `ldes-live`, and reads it by
 * `createLiveClient`.
 */
export type Transport = 'websocket' | 'sse' | 'ldes-live' | 'live-client';

/** Names for people. */
export const TRANSPORT_NAMES: Readonly<Record<Transport, string>> = {
  websocket: 'WebSocket',
  sse: 'plain SSE',
  'ldes-live': 'ldes-live',
  'live-client': 'ldes-live, createLiveClient',
};
