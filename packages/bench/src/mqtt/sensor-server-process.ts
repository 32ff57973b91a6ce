// The server that is measured: messages of a broker to a log on disk, and from there to readers.
import { once } from 'node:events';
import { openLmdbStore } from '@ldes-live/log';
import { createLiveServer } from '@ldes-live/server';
import { createMqttSource } from '@ldes-live/sources';
import type { SensorServerPlan, SensorServerReport } from './mqtt-messages.ts';
import { sensorMapping, sensorStream } from './sensor-stream.ts';

const { port, folder, brokerUrl } = JSON.parse(process.argv[2] as string) as SensorServerPlan;
const publicUrl = `http://127.0.0.1:${port}/`;
const description = sensorStream(publicUrl);
const store = await openLmdbStore({ path: folder, clock: Date.now, random: Math.random });
const log = await store.open(description);
const source = createMqttSource({
  url: brokerUrl,
  clientId: 'ldes-live-bench',
  topics: [{ filter: 'sensors/+' }],
  mapping: sensorMapping(description),
});
const stream = { description, log, sources: [source] };
// Readers are to come back at once; what they miss meanwhile is what is measured.
const server = await createLiveServer({ publicUrl, streams: [stream], push: { retryMs: 100, shutdownGraceMs: 0 } });
await server.listen({ host: '127.0.0.1', port });
process.on('disconnect', () => process.exit());
process.send?.({});
await once(process, 'message');
const { errors, findings } = source.health();
const { user, system } = process.cpuUsage();
const report: SensorServerReport = { cpuMicros: user + system, members: log.head.cursor.sequence, errors, findings };
await server.close();
await store.close();
process.send?.(report, () => process.exit());
