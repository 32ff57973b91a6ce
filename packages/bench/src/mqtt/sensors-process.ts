// Sensors with a connection each, who send a message a second, on a fixed schedule.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { SensorsPlan, SensorsReport } from './mqtt-messages.ts';
import { createPublisher } from './publisher.ts';

const RETRY_MS = 200;

const { brokerPort, sensors, seconds } = JSON.parse(process.argv[2] as string) as SensorsPlan;
const publishers = Array.from({ length: sensors }, (_, sensor) =>
  createPublisher(brokerPort, `sensor-${sensor}`, () => RETRY_MS * (0.5 + Math.random())),
);
process.on('disconnect', () => process.exit());
while (!publishers.every((publisher) => publisher.isConnected())) await delay(20);
process.send?.({});
await once(process, 'message');
const cpuBefore = process.cpuUsage();
const startMs = Date.now() + 100;
let lateMs = 0;
for (let message = 0; message < sensors * seconds; message += 1) {
  const plannedMs = startMs + (message * 1000) / sensors;
  if (Date.now() < plannedMs) await delay(plannedMs - Date.now());
  lateMs = Math.max(lateMs, Date.now() - plannedMs);
  const sensor = message % sensors;
  const n = Math.floor(message / sensors);
  const at = new Date(plannedMs).toISOString();
  void publishers[sensor]?.publish(`sensors/${sensor}`, JSON.stringify({ n, at, value: (n % 100) / 10 }));
}
await Promise.all(publishers.map((publisher) => publisher.settled()));
const { user, system } = process.cpuUsage(cpuBefore);
const report: SensorsReport = { published: sensors * seconds, cpuMicros: user + system, lateMs };
process.send?.(report, () => process.exit());
