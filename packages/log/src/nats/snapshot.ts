// All that a log has at one moment, for nodes that come when its first entries are gone: lines of JSON, deflated, in the
// object store of the cluster under the name of the stream.
//   { "version": 1, "epoch": "m3x1k9f2ab", "publicUrl": "http://h/", "sequencePath": "...", "sequence": 42, "timeMs": 17956008,
//     "position": 1207, "entryId": "...", "term": 3, "ranges": [{ "first": 1, "last": 250, "erasedMs": 1795600800000 }] }
//   { "entity": "http://...", "origin": "feed", "fingerprint": "a1", "sequence": 42 }    each living entity
//   [42, { "id": "...", "entity": "...", "kind": "upsert", "time": "...", "nquads": "..." }]    each member that is held

import { pipeline, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDeflateRaw, createInflateRaw } from 'node:zlib';
import type { ObjectStore } from '@nats-io/obj';
import { errors } from '../errors.ts';
import type { LogContent, LogSummary } from '../storage.ts';

const VERSION = 1;

/** What there is of a snapshot, without itself. */
export interface SnapshotInfo {
  readonly epoch: string;
  readonly position: number;
  /** Of the object: what was exchanged meanwhile is not overwritten. */
  readonly revision: number;
}

/** @param former - the one that it takes the place of */
export async function putSnapshot(
  store: ObjectStore,
  stream: string,
  content: LogContent,
  former: SnapshotInfo | undefined,
): Promise<void> {
  const { summary, latest, members } = content;
  async function* lines() {
    yield `${JSON.stringify({ version: VERSION, ...summary, latest: latest.length })}\n`;
    for (const entry of latest) yield `${JSON.stringify(entry)}\n`;
    for await (const slice of members) {
      yield slice.map((member) => `${JSON.stringify(member)}\n`).join('');
    }
  }
  // What fails on the way ends the object, and is not an event that nobody listens to.
  const bytes = pipeline(Readable.from(lines()), createDeflateRaw(), () => {});
  const { epoch, position } = summary;
  const named = { name: stream, metadata: { epoch, position: String(position) } };
  const revision = former && { previousRevision: former.revision };
  await store.put(named, Readable.toWeb(bytes) as ReadableStream<Uint8Array>, revision);
}

export async function snapshotInfo(store: ObjectStore, stream: string): Promise<SnapshotInfo | undefined> {
  const info = await store.info(stream);
  if (!info || info.deleted) return undefined;
  const { epoch = '', position = '0' } = info.metadata ?? {};
  return { epoch, position: Number(position), revision: info.revision };
}

/**
 * @throws `ERR_CLUSTER_VERSION`: another release made it
 * @throws `ERR_SNAPSHOT_DAMAGED`: it cannot be read, now or while its members are
 */
export async function readSnapshot(store: ObjectStore, stream: string): Promise<LogContent | undefined> {
  const object = await store.get(stream);
  if (!object) return undefined;
  const source = Readable.fromWeb(object.data as Parameters<typeof Readable.fromWeb>[0]);
  const lines = linesOf(pipeline(source, unlessSilent, createInflateRaw(), () => {}));
  const damaged = (reason: string, cause?: unknown) => errors.ERR_SNAPSHOT_DAMAGED({ stream, reason }, cause);
  const next = async () => {
    try {
      const { done, value } = await lines.next();
      return done ? undefined : JSON.parse(value);
    } catch (error) {
      const { message, code = '' } = error as NodeJS.ErrnoException;
      // What else fails, as the way to NATS does, may be there again.
      if (error instanceof SyntaxError || code.startsWith('Z_') || message.includes('corrupt')) {
        throw damaged(message, error);
      }
      throw error;
    }
  };
  const nextOf = async (what: string) => {
    const value = await next();
    if (value === undefined) throw damaged(`it ends before its ${what}`);
    return value;
  };
  const {
    version,
    latest: count,
    ...summary
  }: LogSummary & { version: number; latest: number } = await nextOf('first line');
  if (version !== VERSION) {
    throw errors.ERR_CLUSTER_VERSION({
      ...{ stream, position: summary.position, found: String(version), known: String(VERSION) },
    });
  }
  const latest = [];
  while (latest.length < count) latest.push(await nextOf('living entities'));
  async function* members() {
    for (let slice = []; ; slice = []) {
      let member = await next();
      for (; member && slice.push(member) < SLICE_MEMBERS; member = await next());
      if (slice.length > 0) yield slice;
      if (!member) return;
    }
  }
  return { summary, latest, members: members() };
}

/** An object whose chunks were deleted, since another took its place, does not end: no more of it comes. */
const SILENCE_MS = 5000;

async function* unlessSilent(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  for (;;) {
    const timer = new AbortController();
    const silence = sleep(SILENCE_MS, undefined, { signal: timer.signal }).then(() => {
      throw new Error(`NATS has sent nothing of the snapshot for ${SILENCE_MS} ms`);
    });
    silence.catch(() => {});
    try {
      const { done, value } = await Promise.race([iterator.next(), silence]);
      if (done) return;
      yield value;
    } finally {
      timer.abort();
    }
  }
}

/** Members that are stored at a time. */
const SLICE_MEMBERS = 250;

async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() as string;
    yield* lines;
  }
}
