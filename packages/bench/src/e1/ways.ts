/** What serves the clients. */
type ServerName = 'Express' | 'ldes-live' | '@fastify/sse' | 'Nchan' | 'C loop';

/** What stands between the server and its clients. */
export type Between = 'straight' | 'nginx' | 'Varnish';

/** One way for clients to have what is new. */
export interface Way {
  /** Stable: what it is chosen by on the command line. */
  readonly id: string;
  /** As reports call it. */
  readonly name: string;
  /** `polling` is the client of the article, `mal` our own. */
  readonly kind: 'polling' | 'mal' | 'sse';
  readonly server: ServerName;
  readonly between: Between;
  /** The MAL of our client, seconds. */
  readonly malSeconds?: number;
}

const POLLING: readonly Way[] = [
  polling('polling-express', 'Express', 'straight'),
  polling('polling-express-nginx', 'Express', 'nginx'),
  polling('polling-live', 'ldes-live', 'straight'),
  polling('polling-live-nginx', 'ldes-live', 'nginx'),
  polling('polling-live-varnish', 'ldes-live', 'Varnish'),
];

const SSE: readonly Way[] = [
  sse('sse-express', 'Express'),
  sse('sse-fastify', '@fastify/sse'),
  sse('sse-live', 'ldes-live'),
  sse('sse-nchan', 'Nchan'),
  sse('sse-c', 'C loop'),
];

/** The ways that are measured, in their order, with our client at each MAL. */
export function waysOf(malSeconds: readonly number[]): readonly Way[] {
  return [...POLLING, ...malSeconds.map(malWay), ...SSE];
}

/** Names by which measurements can be chosen: kinds of ways, and each way. */
export const E1_MEASUREMENTS: readonly string[] = [
  'polling',
  'mal',
  'sse',
  'crossing',
  ...[...POLLING, ...SSE].map(({ id }) => id),
];

/** Whether a way was asked for: by its id, or by its kind. */
export function isChosen({ id, kind }: Pick<Way, 'id' | 'kind'>, only: readonly string[]): boolean {
  return only.length === 0 || only.includes(id) || only.includes(kind);
}

/** The id of the way of the article that a way is beside: the same with its Express server. */
export function baselineOf({ kind, between }: Pick<Way, 'kind' | 'between'>): string {
  if (kind === 'sse') return 'sse-express';
  // The article has one cache: Varnish is what it suggests for later.
  return between === 'straight' ? 'polling-express' : 'polling-express-nginx';
}

function polling(id: string, server: ServerName, between: Between): Way {
  return {
    id,
    name: `polling, ${server}, ${between === 'straight' ? between : `by ${between}`}`,
    kind: 'polling',
    server,
    between,
  };
}

function malWay(malSeconds: number): Way {
  const name = `polling at MAL ${malSeconds} s, ldes-live, straight`;
  return { id: `mal-${malSeconds}`, name, kind: 'mal', server: 'ldes-live', between: 'straight', malSeconds };
}

function sse(id: string, server: ServerName): Way {
  return { id, name: `SSE, ${server}`, kind: 'sse', server, between: 'straight' };
}
