// All that a log has at one moment, for nodes that come when its first entries are gone: lines of JSON, deflated, in the
// object store of the cluster under the name of the stream.
//   { "version": 1, "epoch": "m3x1k9f2ab", "publicUrl": "http://h/", "sequencePath": "...", "sequence": 42, "timeMs": 17956008,
//     "position": 1207, "term": 3, "ranges": [{ "first": 1, "last": 250, "erasedMs": 1795600800000 }] }
//   { "entity": "http://...", "origin": "feed", "fingerprint": "a1", "sequence": 42 }    each living entity
//   [42, { "id": "...", "entity": "...", "kind": "upsert", "time": "...", "nquads": "..." }]    each member that is held

import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { createDeflateRaw, createInflateRaw } from 'node:zlib';
import type { ObjectStore } from '@nats-io/obj';
import { errors } from '../errors.ts';
import type { LogContent, LogSummary } from '../storage.ts';

const VERSION = 1;

export async function putSnapshot(store: ObjectStore, stream: string, content: LogContent): Promise<void> {
  const { summary, latest, members } = content;
  async function* lines() {
    yield `${JSON.stringify({ version: VERSION, ...summary, latest: latest.length })}\n`;
    for (const entry of latest) yield `${JSON.stringify(entry)}\n`;
    for await (const slice of members) {
      yield slice.map((member) => `${JSON.stringify(member)}\n`).join('');
    }
  }
  const bytes = Readable.from(lines()).pipe(createDeflateRaw());
  const position = String(summary.position);
  await store.put({ name: stream, metadata: { position } }, Readable.toWeb(bytes) as ReadableStream<Uint8Array>);
}

/** Of which position there is one; 0 where there is none. */
export async function snapshotPosition(store: ObjectStore, stream: string): Promise<number> {
  return Number((await store.info(stream))?.metadata?.position ?? 0);
}

/** @throws `ERR_CLUSTER_VERSION`: another release made it */
export async function readSnapshot(store: ObjectStore, stream: string): Promise<LogContent | undefined> {
  const object = await store.get(stream);
  if (!object) return undefined;
  const bytes = Readable.fromWeb(object.data as Parameters<typeof Readable.fromWeb>[0]).pipe(createInflateRaw());
  const lines = createInterface({ input: bytes, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
  const next = async () => {
    const { done, value } = await lines.next();
    return done ? undefined : JSON.parse(value);
  };
  const { version, latest: count, ...summary }: LogSummary & { version: number; latest: number } = await next();
  if (version !== VERSION) {
    throw errors.ERR_CLUSTER_VERSION({
      ...{ stream, position: summary.position, found: String(version), known: String(VERSION) },
    });
  }
  const latest = [];
  while (latest.length < count) latest.push(await next());
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

/** Members that are stored at a time. */
const SLICE_MEMBERS = 250;
