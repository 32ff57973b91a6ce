import { setTimeout } from 'node:timers/promises';
import { createMemoryStore } from '@ldes-live/log';
import { describeStream, literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import { liveStreams } from '@ldes-live/server';
import Fastify from 'fastify';

const port = Number(process.argv[2] ?? 3000);
const publicUrl = `http://localhost:${port}/`;
const description = describeStream({ publicUrl, name: 'water', title: 'Water levels' });
const log = await createMemoryStore({ clock: Date.now, random: Math.random }).open(description);
const app = Fastify();
await app.register(liveStreams, { publicUrl, streams: [{ description, log, sources: () => [] }] });
await app.listen({ port });
for (;;) {
  const entity = `${description.url}/entities/gauge-1`;
  const level = literal((8 + Math.sin(Date.now() / 10_000)).toFixed(2), xsd.decimal);
  const quads = [quad(namedNode(entity), namedNode('http://www.w3.org/ns/sosa/hasSimpleResult'), level)];
  await log.append([{ kind: 'upsert', entity, origin: 'gauges', fingerprint: level.value, quads }]);
  await setTimeout(1000);
}
