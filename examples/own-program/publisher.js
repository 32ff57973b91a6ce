import { setTimeout } from 'node:timers/promises';
import { createMemoryStore } from '@ldes-live/log';
import { describeStream, literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import { portInUse } from '../port-in-use.js';

const port = Number(process.argv[2] ?? 3106);
const publicUrl = `http://localhost:${port}/`;
const description = describeStream({ publicUrl, name: 'water', title: 'Water levels' });
const log = await createMemoryStore({ clock: Date.now, random: Math.random }).open(description);

/** Reads the gauge each second. @type {import('@ldes-live/server').StreamSource['drafts']} */
async function* drafts(_latest, signal) {
  for (; ; await setTimeout(1000, undefined, { signal })) {
    const entity = `${description.url}/entities/gauge-1`;
    const level = literal((8 + Math.sin(Date.now() / 10_000)).toFixed(2), xsd.decimal);
    const quads = [quad(namedNode(entity), namedNode('http://www.w3.org/ns/sosa/hasSimpleResult'), level)];
    yield [{ kind: 'upsert', entity, origin: 'gauges', fingerprint: level.value, quads }];
  }
}

const sources = [{ origin: 'gauges', drafts }];
const server = await createLiveServer({ publicUrl, streams: [{ description, log, sources }] });
await server.listen({ host: 'localhost', port }).catch(portInUse(port, 'an argument, such as 3206'));
process.stdout.write(`the stream is at ${description.url}\n`);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());
