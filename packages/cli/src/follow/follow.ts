/*
 * Follows a stream and prints what changes: in lines or a view for people, as JSON-LD or N-Quads for programs.
 *
 *   follower -> changes -> batches: what arrived together -> Presentation -> standard output
 *                      \-> mark: { url, cursor: 'k3x9a-43' } once a batch is printed -> state file
 *
 * What a program reads has standard output alone; all else is on standard error, as is the last line:
 *
 *   12 changes, last by pull: 3 requests, 4096 bytes received; 1 update, at most 20 ms late, 0 over the MAL of 60 s
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { open, readFile, rename, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { pid } from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Change, Follower, FollowerState, LiveStatus } from '@ldes-live/client';
import { prefixes, writeQuads } from '@ldes-live/rdf-stream';
import type { Environment } from '../environment.ts';
import { errors } from '../errors.ts';
import { CONNECTED, type ContactHosts, clientFor } from '../hosts.ts';
import { canShowView, clockTime, localTimes, plural, TextOutput } from '../terminal.ts';
import { tokenFields } from '../token.ts';
import { gapLine, lagText, Summary } from './summary.ts';

export interface FollowOptions {
  readonly url: string;
  /** The maximum acceptable latency, in seconds. */
  readonly mal: number;
  /** `latest`, `start`, `now` or a cursor; absent when not said. */
  readonly from?: string;
  readonly format: 'summary' | 'jsonld' | 'nq';
  readonly count?: number;
  readonly timeout?: number;
  /** The environment variable with the token to read by. */
  readonly tokenEnv?: string;
  /** Path of the file that keeps the position. */
  readonly state?: string;
  /** Which hosts may be contacted; absent: `public` where the URL is one of a public host, else `any`. */
  readonly hosts?: ContactHosts;
  /** The part of the stream that is asked for, as the client takes it; all of it when empty. */
  readonly filter: { readonly [Name in 'entity' | 'type' | 'bbox']?: readonly string[] };
}

export interface Presentation {
  /** Presents changes that arrived together; resolves when more can be taken. */
  print(changes: readonly Change[]): Promise<void>;
  /** Presents how the follower fares, where that is new. */
  refresh(status: LiveStatus): Promise<void>;
  note(text: string): void;
}

/** The longest that a timer takes, some 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const REFRESH_MS = 250;

/** Follows a stream and prints what changes, until the count or the time is reached, it is interrupted, or nobody reads. */
export async function follow(options: FollowOptions, environment: Environment): Promise<number> {
  const { url, mal, from, state, filter, timeout, tokenEnv, count = Number.POSITIVE_INFINITY } = options;
  const headers = tokenFields(tokenEnv, environment);
  const output = new TextOutput(environment.stdout);
  const presentation = await presentationFor(options, environment, output);
  const saved = state === undefined ? undefined : await readState(state);
  const timedOut = new AbortController();
  const timer =
    timeout === undefined ? undefined : setTimeout(() => timedOut.abort(), Math.min(timeout * 1000, MAX_TIMER_MS));
  const signal = AbortSignal.any([environment.interrupted, output.ended, timedOut.signal]);
  const reporting = reportingFetch(url, (text) => presentation.note(text), fetch);
  const { client, close } = await clientFor([url], options.hosts, { mal, headers, fetch: reporting });
  const follower = client.follow(url, { signal, ...filter, ...(saved && { state: saved }), ...(from && { from }) });
  const wire = countWireBytes();
  const statusNow = () => ({ ...follower.status, bytes: wire.received() });
  // As it was while it was read: afterwards there is nobody to read it.
  let status = statusNow();
  const take = (now: LiveStatus) => {
    const { mode, reason, isInTrouble, lagBoundMs } = status;
    status = now.state === 'ended' ? { ...now, state: status.state, mode, reason, isInTrouble, lagBoundMs } : now;
  };
  const refresh = async () => {
    if (signal.aborted) return;
    take(statusNow());
    await presentation.refresh(status);
  };
  const refreshing = setInterval(refresh, REFRESH_MS);
  let [changes, cursor]: [number, string | undefined] = [0, undefined];
  const position = positions(follower, state !== undefined);
  const mark = () => ({ state: position(), status: statusNow() });
  try {
    for await (const { items, mark: then } of batches(firstOf(follower, count), mark)) {
      take(then.status);
      await refresh();
      await presentation.print(items);
      if (output.ended.aborted) break;
      changes += items.length;
      // Elsewhere than in a log of ours a cursor says nothing to a reader that begins anew.
      cursor = then.state.tree ? undefined : then.state.cursor;
      if (state !== undefined) await writeState(state, then.state);
    }
    await refresh();
  } catch (error) {
    // The end that was asked for is not a failure, however it comes back.
    if (!signal.aborted || error !== signal.reason) throw error;
  } finally {
    clearInterval(refreshing);
    clearTimeout(timer);
    wire.stop();
    close();
    output.close();
  }
  if (output.ended.aborted) return 0;
  // Only a reading that nothing can follow has no more to expect.
  const lag = lagText(status, mal, follower.status.lagBoundMs === 0);
  environment.stderr.write(`${lastLine(status, changes, lag, cursor)}\n`);
  if (timedOut.signal.aborted && Number.isFinite(count)) {
    const reason = localTimes(status.reason, environment.clock());
    throw errors.ERR_TIMEOUT({ url, count, changes, timeout: timeout as number, reason });
  }
  return 0;
}

/** Tells where a follower stands. That of a tree grows with its pages, and is made anew only where it is kept. */
export function positions(follower: Pick<Follower, 'state'>, isKept: boolean): () => FollowerState {
  let last: FollowerState | undefined;
  return () => {
    if (isKept || !last?.tree) last = follower.state;
    return last;
  };
}

async function* firstOf<Item>(items: AsyncIterable<Item>, count: number): AsyncGenerator<Item> {
  let taken = 0;
  for await (const item of items) {
    yield item;
    taken += 1;
    if (taken >= count) return;
  }
}

function lastLine(status: LiveStatus, changes: number, lag: string, cursor: string | undefined): string {
  const { mode, requests, bytes } = status;
  const position = cursor === undefined ? '' : `; continue with --from ${cursor}`;
  const read = `${plural(changes, 'change')}, last by ${mode}: ${plural(requests, 'request')}`;
  return `${read}, ${plural(bytes, 'byte')} received; ${lag}${position}`;
}

/** Chooses the presentation: what programs asked for; for people a view where a terminal can show one, else lines. */
export async function presentationFor(
  options: FollowOptions,
  environment: Environment,
  output: TextOutput,
): Promise<Presentation> {
  const { format } = options;
  const { clock, stderr } = environment;
  if (format === 'summary' && canShowView(environment)) {
    const { FollowView } = await import('./view.ts');
    return new FollowView(options, environment, output);
  }
  const summary = new Summary();
  const note = (text: string) => void stderr.write(`${clockTime(clock())}  ${text}\n`);
  if (format === 'summary') {
    return {
      print: async (changes) => await output.write(await summary.changeLines(changes, clock())),
      refresh: (status) => output.write(summary.statusLines(status, clock())),
      note,
    };
  }
  // What is for people must not come between what is for programs.
  return {
    print: async (changes) => {
      for (const change of changes) if (change.kind === 'gap') stderr.write(gapLine(change, clock()));
      await output.write(changes.map((change) => rdfText(change, format)).join(''));
    },
    refresh: async (status) => {
      stderr.write(summary.statusLines(status, clock()));
    },
    note,
  };
}

/** A change as a JSON-LD document in a line, or as N-Quads. A gap has no RDF. */
function rdfText(change: Change, format: 'jsonld' | 'nq'): string {
  if (change.kind === 'gap') return '';
  const { quads } = change.member;
  if (format === 'nq') return writeQuads(quads, 'nquads', {});
  // In a log of an earlier release it is below the publisher's own URL.
  const former = quads.map(({ predicate }) => /^.*\/ns\/live#/.exec(predicate.value)?.[0]).find(Boolean);
  return `${writeQuads(quads, 'jsonld', former === undefined ? prefixes : { ...prefixes, live: former })}\n`;
}

/** So many answers of 404 in a row are more than a document that is just being replaced. */
const MANY_MISSING = 3;

/** A `fetch` that reports once where the documents of a stream lead to another origin, and once that this has none of them. */
export function reportingFetch(url: string, report: (text: string) => void, fetchIt: typeof fetch): typeof fetch {
  const asked = URL.canParse(url) ? new URL(url).origin : url;
  let hasLeft = false;
  let missing = 0;
  return async (input, init) => {
    const { origin } = new URL(String(input));
    // A JSON-LD context may be anywhere.
    const isContext = new Headers(init?.headers).get('accept')?.startsWith('application/ld+json');
    if (origin === asked || isContext) return await fetchIt(input, init);
    if (!hasLeft) report(`the stream at ${asked} leads to ${origin}, and is read from there`);
    hasLeft = true;
    const response = await fetchIt(input, init);
    missing = response.status === 404 ? missing + 1 : 0;
    if (missing === MANY_MISSING) {
      report(`${origin} repeatedly answers 404: the publicUrl of the server at ${asked} is probably wrong`);
    }
    return response;
  };
}

/** The most that is taken together: bounds what a long history holds in memory. */
const LIMIT_BATCH = 1000;

/** Takes together what is there without waiting. A mark says how things stood once the last item of a batch was delivered. */
export async function* batches<Item, Mark extends object>(
  items: AsyncIterable<Item>,
  mark: () => Mark,
  limit = LIMIT_BATCH,
): AsyncGenerator<{ readonly items: readonly Item[]; readonly mark: Mark }> {
  const iterator = items[Symbol.asyncIterator]();
  let pending = iterator.next();
  try {
    for (let next = await pending; !next.done; next = await pending) {
      const batch = [next.value];
      let standing: Mark | undefined;
      while (standing === undefined) {
        const isFull = batch.length >= limit;
        // What is delivered next is not in the batch, and must not be in its mark.
        if (isFull) standing = mark();
        pending = iterator.next();
        if (isFull) break;
        const ready = await Promise.race([unlessFailed(pending), nextTurn()]);
        if (ready && !ready.done) batch.push(ready.value);
        else standing = mark();
      }
      // The reader of the batch may be busy when it fails.
      void unlessFailed(pending);
      yield { items: batch, mark: standing as Mark };
    }
  } finally {
    await iterator.return?.();
  }
}

/** A failure comes after what was there before it: it is thrown when its own turn is awaited. */
function unlessFailed<Result>(pending: Promise<Result>): Promise<Result | undefined> {
  return pending.catch(() => undefined);
}

/**
 * Counts what the connections bring that `fetch` opens in this process from now on: header fields and bodies as they come,
 * compressed, without the frames of TLS and TCP. `fetch` itself knows of a body only what it is after decompression.
 */
function countWireBytes() {
  const open = new Set<Socket>();
  let closedBytes = 0;
  const connected = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket };
    open.add(socket);
    socket.once('close', () => {
      closedBytes += socket.bytesRead;
      open.delete(socket);
    });
  };
  subscribe(CONNECTED, connected);
  return {
    received: () => [...open].reduce((sum, { bytesRead }) => sum + bytesRead, closedBytes),
    stop: () => void unsubscribe(CONNECTED, connected),
  };
}

/**
 * Reads the position that an earlier run kept, if any, and tries whether a later one can be kept there: better now than after
 * the first change.
 */
export async function readState(file: string): Promise<FollowerState | undefined> {
  let text: string;
  try {
    await (await open(partOf(file), 'w')).close();
    await rm(partOf(file));
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && path === file) return undefined;
    throw unusable(file, error);
  }
  const state = parsed(text);
  if (state === undefined) throw errors.ERR_STATE_FILE({ file, reason: 'it does not contain a position of a stream' });
  return state;
}

function unusable(file: string, error: unknown) {
  return errors.ERR_STATE_FILE({ file, reason: (error as NodeJS.ErrnoException).code ?? String(error) }, error);
}

/** Keeps a position: the file holds the old one or the new one, whole, whenever the machine stops. */
export async function writeState(file: string, state: FollowerState): Promise<void> {
  const part = partOf(file);
  try {
    const handle = await open(part, 'w');
    try {
      await handle.writeFile(`${JSON.stringify(state)}\n`);
      // A machine may keep the new name and yet lose what was not forced out.
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    throw unusable(file, error);
  }
}

// A name of its own for each process: one would else take away what another is writing.
function partOf(file: string): string {
  return `${file}.${pid}.part`;
}

function parsed(text: string): FollowerState | undefined {
  try {
    const state = JSON.parse(text);
    const hasPosition = typeof state.cursor === 'string' || (typeof state.tree === 'object' && state.tree !== null);
    // Whether the position is one that can be gone on from is for the client to judge.
    return typeof state.url === 'string' && hasPosition ? state : undefined;
  } catch {
    return undefined;
  }
}
