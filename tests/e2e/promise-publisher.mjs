// A program of its own that publishes a value now and then, and notes when: `SEQUENCE EPOCH_MS` a line.
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { createMemoryStore } from '@ldes-live/log';
import { describeStream, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';

const port = Number(process.argv[2]);
const publicUrl = `http://localhost:${port}/`;
const description = describeStream({ publicUrl, name: 'values' });
const log = await createMemoryStore({ clock: Date.now, random: Math.random }).open(description);
const server = await createLiveServer({ publicUrl, streams: [{ description, log }] });
await server.listen({ host: 'localhost', port });
process.stdout.write('listens\n');
for (let value = 0; ; value += 1) {
  // Not in step with anything that a reader does.
  await setTimeout(300 + (value % 7) * 130);
  const entity = `${description.url}/entities/${value % 5}`;
  const quads = [quad(namedNode(entity), namedNode('http://example.org/value'), literal(String(value)))];
  const publishedMs = Date.now();
  const commit = await log.append([{ kind: 'upsert', entity, origin: 'test', fingerprint: String(value), quads }]);
  process.stdout.write(`${commit.cursor.sequence} ${publishedMs}\n`);
}
