import { type Cluster, createMemoryStore, type Log } from '@ldes-live/log';
import {
  type Draft,
  describeStream,
  type LatestView,
  type RetentionPolicy,
  type SourceState,
  StreamError,
} from '@ldes-live/rdf-stream';
import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import type { LiveStream, StreamSource } from '../src/options.ts';
import { publishStream } from '../src/publish.ts';
import { ServerNode } from '../src/server-node.ts';
import { PUBLIC_URL } from './test-server.ts';

export const START_MS = Date.parse('2026-03-01T12:00:00.000Z');
export const at = (ms: number) => new Date(START_MS + ms).toISOString();

interface Line extends Readonly<Record<string, unknown>> {
  readonly level: string;
  readonly event: string;
}

/** A stream over a log in memory, in virtual time, with what is logged and every state that it was in. */
export async function world(more: Partial<LiveStream> = {}, retention?: RetentionPolicy, cluster?: Cluster) {
  const time = new VirtualTime();
  const description = describeStream({ publicUrl: PUBLIC_URL, name: 'vehicles', ...(retention && { retention }) });
  const log = await createMemoryStore({ clock: time.clock, random: () => 0.5 }).open(description);
  const lines: Line[] = [];
  const write = (level: string) => (fields: object, event: string) => void lines.push({ level, event, ...fields });
  const logger = {
    error: write('error'),
    warn: write('warn'),
    info: write('info'),
    debug: write('debug'),
    isLevelEnabled: () => true,
  };
  const stream: LiveStream = { description, log, ...more };
  const { clock, sleep } = time;
  /** One more publication, over the same log. */
  const node = cluster && new ServerNode(cluster, { logger, clock, sleep });
  const again = (other: LiveStream) => publishStream(other, { logger, clock, sleep, random: () => 0, node });
  const publication = await again(stream);
  const states: (SourceState | undefined)[] = [];
  publication.onSourceState((state) => states.push(state));
  const events = (event: string) => lines.filter((line) => line.event === event);
  const entities = async () => (await log.read(0, 1000)).map(({ entity }) => Number(entity.split('/').at(-1)));
  return { time, log, stream, lines, events, publication, again, states, entities };
}

type Drafts = (ask: number, latest: LatestView, signal: AbortSignal) => AsyncIterable<readonly Draft[]>;

/** A source of a few lines, whose function gets how often it was asked, from 1 on. */
export function sourceOf(drafts: Drafts, more: Partial<StreamSource> = {}): StreamSource {
  let asked = 0;
  return { origin: 'feed', drafts: (latest, signal) => drafts(++asked, latest, signal), ...more };
}

export const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

/** A log whose next appends fail with this, so many of them. */
export function failAppends(log: Log, error: Error, times: number): void {
  const append = log.append.bind(log);
  let left = times;
  log.append = (drafts) => (left-- > 0 ? Promise.reject(error) : append(drafts));
}

export const DISK_FULL = new StreamError('ERR_STORE_WRITE', 'The disk is full.');
