import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { programPath } from '@ldes-live/bench/programs';
import { type Cursor, describeStream, formatCursor, parseQuads, SseParser } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { EventSource } from 'eventsource';
import { expect } from 'vitest';
import { readInChromium } from './chromium-reader.ts';

/** An event as a program got it. */
export interface ReadEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** A program that reads a stream of events, and comes back when it is cut. */
export interface EventReader {
  /** Its events so far. */
  readonly events: readonly ReadEvent[];
  close(): Promise<void>;
}

/** How somebody else's program reads a stream of events. */
export interface EventClient {
  readonly name: string;
  /** How its stream comes, as it asks for it. */
  readonly coding: 'identity' | 'gzip';
  /** The program that it takes; none where it is in Node. */
  readonly program?: string;
  open(url: string): Promise<EventReader>;
}

/** Every kind of client that the stream is tried with. */
export const EVENT_CLIENTS: readonly EventClient[] = [
  { name: 'EventSource of Chromium', coding: 'gzip', program: 'chromium', open: readInChromium },
  { name: 'eventsource', coding: 'gzip', open: async (url) => eventSource(url) },
  { name: 'eventsource, identity', coding: 'identity', open: async (url) => eventSource(url, 'identity') },
  { name: 'curl', coding: 'identity', program: 'curl', open: resumed(readByCurl()) },
  { name: 'curl --compressed', coding: 'gzip', program: 'curl', open: resumed(readByCurl('--compressed')) },
  { name: 'curl --http1.0', coding: 'identity', program: 'curl', open: resumed(readByCurl('-0')) },
  { name: 'fetch', coding: 'gzip', open: resumed(readByFetch()) },
  { name: 'fetch, identity', coding: 'identity', open: resumed(readByFetch('identity')) },
];

const TYPES = ['update', 'conflated', 'gap', 'message'];

function eventSource(url: string, coding?: string): EventReader {
  const events: ReadEvent[] = [];
  const source = new EventSource(url, {
    fetch: (input, init) =>
      fetch(input, { ...init, headers: { ...init.headers, ...(coding && { 'accept-encoding': coding }) } }),
  });
  for (const type of TYPES) {
    source.addEventListener(type, ({ data, lastEventId }) => events.push({ event: type, id: lastEventId, data }));
  }
  return { events, close: async () => source.close() };
}

/** Reads one connection to its end, however it comes. */
type ReadOnce = (
  url: string,
  lastEventId: string | undefined,
  take: (bytes: Uint8Array) => void,
  signal: AbortSignal,
) => Promise<void>;

// What a script around a program does: it asks again after the last id that it has.
function resumed(readOnce: ReadOnce): EventClient['open'] {
  return async (url) => {
    const events: ReadEvent[] = [];
    const stop = new AbortController();
    const reading = (async () => {
      let [lastEventId, retryMs]: [string | undefined, number] = [undefined, 1000];
      const onRetry = (ms: number) => {
        retryMs = ms;
      };
      while (!stop.signal.aborted) {
        const parser = new SseParser({ onEvent: (event) => events.push(event), onRetry });
        await readOnce(url, lastEventId, (bytes) => parser.push(bytes), stop.signal);
        lastEventId = parser.lastEventId || lastEventId;
        await delay(retryMs, undefined, { signal: stop.signal }).catch(() => undefined);
      }
    })();
    const close = () => {
      stop.abort();
      return reading;
    };
    return { events, close };
  };
}

function readByCurl(...options: readonly string[]): ReadOnce {
  return (url, lastEventId, take, signal) =>
    new Promise((resolve) => {
      const header = lastEventId === undefined ? [] : ['-H', `Last-Event-ID: ${lastEventId}`];
      const child = spawn(programPath('curl'), ['-s', '-N', ...options, ...header, url], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const end = () => child.kill('SIGKILL');
      signal.addEventListener('abort', end);
      child.stdout.on('data', take);
      child.on('close', () => {
        signal.removeEventListener('abort', end);
        resolve();
      });
    });
}

function readByFetch(coding?: string): ReadOnce {
  return async (url, lastEventId, take, signal) => {
    const headers = {
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      ...(coding && { 'accept-encoding': coding }),
    };
    try {
      const { body } = await fetch(url, { headers, signal });
      for await (const chunk of body as ReadableStream<Uint8Array>) take(chunk);
    } catch {
      // The connection broke, or was to end: the last id says where to go on.
    }
  };
}

/** Waits until the last event that was read has a cursor as its id. */
export function reaches(events: readonly ReadEvent[], cursor: Cursor, name?: string): Promise<void> {
  return eventually(() => expect(events.at(-1)?.id, name).toBe(formatCursor(cursor)), { everyMs: 5 });
}

/** The numbers of the members that the updates among events tell of, in their order. */
export async function toldMembers(events: readonly ReadEvent[], publicUrl: string): Promise<number[]> {
  // The same of every stream.
  const { sequencePath } = describeStream({ publicUrl, name: 'any' });
  const told: number[] = [];
  for (const { event, data } of events) {
    if (event !== 'update') continue;
    const quads = await parseQuads(data, 'jsonld', publicUrl);
    const numbers = quads
      .filter(({ predicate }) => predicate.value === sequencePath)
      .map(({ object }) => Number(object.value));
    told.push(...numbers.sort((left, right) => left - right));
  }
  return told;
}

/** The numbers of all members after one, up to another. */
export function membersBetween(after: number, last: number): number[] {
  return Array.from({ length: last - after }, (_, index) => after + index + 1);
}
