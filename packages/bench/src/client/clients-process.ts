// Clients of the framework in a process of their own, which tells its parent how they fare.
import { once, setMaxListeners } from 'node:events';
import { seededRandom } from '../seeded-random.ts';
import type { ClientLoadPlan, ClientLoadReport, ClientOrder, ClientReadiness } from './client-messages.ts';
import { watchClient } from './watched-client.ts';
import { watchWireBytes } from './wire-bytes.ts';

// Many clients do not fit into an argument.
const [plan] = (await once(process, 'message')) as [ClientLoadPlan];
const wire = watchWireBytes();
const wireBytes = () => wire().receivedBytes + wire().sentBytes;
const random = seededRandom(plan.seed);
const ending = new AbortController();
// Each client listens.
setMaxListeners(0, ending.signal);
const clients = plan.clients.map((spec) =>
  watchClient(spec, { random, afterMs: random() * plan.openingMs, signal: ending.signal }),
);
let beganMs = Date.now();
let cpuBefore = process.cpuUsage();
let bytesBefore = 0;

function ready(): ClientReadiness {
  return {
    ready: clients.filter(({ isReady }) => isReady).length,
    problems: clients.flatMap(({ problem }) => problem ?? []),
  };
}

function begin(): void {
  beganMs = Date.now();
  cpuBefore = process.cpuUsage();
  bytesBefore = wireBytes();
  for (const client of clients) client.begin();
}

function report(): ClientLoadReport {
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    clients: clients.map((client) => client.report()),
    beganMs,
    endedMs: Date.now(),
    cpuMicros: user + system,
    wireBytes: wireBytes() - bytesBefore,
  };
}

process.on('message', ({ order }: { readonly order: ClientOrder }) => {
  if (order === 'begin') begin();
  if (order === 'stop') ending.abort();
  const answer = { ready, report, begin: () => ({}), stop: () => ({}) }[order];
  process.send?.(answer());
  if (order === 'stop') process.disconnect();
});
// Nobody is left to tell, and connections may be open yet.
process.on('disconnect', () => process.exit());
process.send?.({});
