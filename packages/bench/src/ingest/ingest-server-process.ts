// The process that is measured: a publisher with a log on disk whose stream takes posts, until it is told to end.
import { readFileSync } from 'node:fs';
import { openLmdbStore } from '@ldes-live/log';
import { describeStream } from '@ldes-live/rdf-stream';
import { createLiveServer, hashToken } from '@ldes-live/server';
import { residentMemory } from '../resident-memory.ts';
import type { IngestServerMessage, IngestServerPlan } from './ingest-messages.ts';

const { folder, token } = JSON.parse(process.argv[2] as string) as IngestServerPlan;
const publicUrl = 'http://localhost/';
const SAMPLE_MS = 50;

const store = await openLmdbStore({ path: folder, clock: Date.now, random: Math.random });
const description = describeStream({ publicUrl, name: 'water' });
const log = await store.open(description);
const ingest = { tokenHashes: [hashToken(token)] };
const server = await createLiveServer({ publicUrl, streams: [{ description, log, ingest }] });
const tell = (message: IngestServerMessage) => process.send?.(message);
const most = { ownBytes: 0, residentBytes: 0 };
const sample = () => {
  const { rss } = process.memoryUsage();
  const told = process.platform === 'linux' ? residentMemory(readFileSync('/proc/self/status', 'utf8')) : undefined;
  most.ownBytes = Math.max(most.ownBytes, told?.ownBytes ?? rss);
  most.residentBytes = Math.max(most.residentBytes, told?.residentBytes ?? rss);
};
const sampling = setInterval(sample, SAMPLE_MS);
const end = async () => {
  clearInterval(sampling);
  const { user, system } = process.cpuUsage();
  tell({ members: log.head.cursor.sequence, entities: log.latest.size, ...most, cpuMicros: user + system });
  await server.close();
  await store.close();
  process.disconnect();
};
process.once('message', () => void end());
// Nobody is left to tell.
process.on('disconnect', () => process.exit());
tell({ port: await server.listen({ host: '127.0.0.1', port: 0 }) });
