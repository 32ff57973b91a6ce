// The server that is measured: what it is told by its parent, it does.
import type { JobServerOrder, JobServerPlan, JobServerTold } from './e2-messages.ts';
import type { JobServer } from './job-server.ts';

const { kind, breakEvenSeconds } = JSON.parse(process.argv[2] as string) as JobServerPlan;

// Each process loads what it measures, and nothing else.
async function start(): Promise<JobServer> {
  if (kind === 'live') return (await import('./live-job-server.ts')).startLiveJobServer(breakEvenSeconds);
  return (await import('./plain-job-server.ts')).startPlainJobServer();
}

const tell = (told: JobServerTold) => void process.send?.(told);
const server = await start();
let cpuBefore = process.cpuUsage();
process.on('message', (order: JobServerOrder) => {
  if (order.order === 'begin') {
    server.board.begin(order.durationsMs);
    cpuBefore = process.cpuUsage();
    tell({});
  } else {
    const { user, system } = process.cpuUsage(cpuBefore);
    tell({ cpuMicros: user + system, completions: server.board.completions });
  }
});
// Nobody is left to tell, and connections may be open yet.
process.on('disconnect', () => process.exit());
tell({ target: server.target });
