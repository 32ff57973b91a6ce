/** A way by which a user makes a job and learns that it is complete. */
export type JobWay = { readonly name: string; readonly label: string } & JobWayKind;

/**
 * - `polling`: asks for the job at instants so far apart from when it was made
 * - `websocket`: makes jobs and is told of them on one connection
 * - `live`: our client follows the stream of all jobs
 * - `entity`: events of the job alone, a connection for each job
 */
type JobWayKind =
  | { readonly kind: 'polling'; readonly everyMs: number }
  | { readonly kind: 'websocket' }
  | { readonly kind: 'entity' }
  | { readonly kind: 'live'; readonly malSeconds: number; readonly breakEvenSeconds?: number };

/** What others are compared to. */
export const WEBSOCKET = 'websocket';
/** The published polling. */
export const POLLING = 'polling-500';
/** A publisher with this break-even has no client pushed to whose MAL is longer. */
const PULL_BREAK_EVEN_SECONDS = 0.1;

/**
 * All ways, in their order.
 *
 * @param malSeconds - MALs with which our client follows, by the break-even that servers state if nobody says otherwise
 * @param pullMalSeconds - MALs with which it follows where the publisher would rather be polled
 */
export function jobWays(malSeconds: readonly number[], pullMalSeconds: readonly number[]): readonly JobWay[] {
  return [
    ...[500, 250].map((everyMs) => pollingWay(everyMs)),
    { name: WEBSOCKET, label: 'WebSocket', kind: 'websocket' },
    ...malSeconds.map((mal) => liveWay(mal)),
    ...pullMalSeconds.map((mal) => pullWay(mal)),
    { name: 'entity', label: 'ldes-live, events of the job alone', kind: 'entity' },
  ];
}

/** Whether the publisher would rather have the clients of a way poll. */
export function isPullWay(way: JobWay): boolean {
  return way.kind === 'live' && way.breakEvenSeconds !== undefined;
}

/** How late a user of a way may be told at most by what was asked for, milliseconds; undefined where nothing was. */
export function malMsOf(way: JobWay): number | undefined {
  return way.kind === 'live' ? way.malSeconds * 1000 : undefined;
}

function pollingWay(everyMs: number): JobWay {
  return { name: `polling-${everyMs}`, label: `polling every ${everyMs} ms`, kind: 'polling', everyMs };
}

function liveWay(malSeconds: number): JobWay {
  return { name: `live-${malSeconds}`, label: `ldes-live, MAL ${malSeconds} s`, kind: 'live', malSeconds };
}

function pullWay(malSeconds: number): JobWay {
  return {
    name: `pull-${malSeconds}`,
    label: `ldes-live, MAL ${malSeconds} s, break-even ${PULL_BREAK_EVEN_SECONDS} s`,
    kind: 'live',
    malSeconds,
    breakEvenSeconds: PULL_BREAK_EVEN_SECONDS,
  };
}
