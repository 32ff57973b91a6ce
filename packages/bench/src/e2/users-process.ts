// All users of one way in a process of their own, who do what their parent tells them.
import { watchWireBytes } from '../client/wire-bytes.ts';
import { LoopLag } from '../load/loop-lag.ts';
import { monotonicMicros } from '../load/monotonic-micros.ts';
import type { UsersOrder, UsersReport } from './e2-messages.ts';
import { runUsers, type UsersPlan } from './run-users.ts';

const plan = JSON.parse(process.argv[2] as string) as UsersPlan;
const wireBytes = watchWireBytes();
const lag = new LoopLag();
lag.start();

async function run({ target, jobs }: UsersOrder): Promise<UsersReport> {
  const bytesBefore = wireBytes();
  const cpuBefore = process.cpuUsage();
  const startMicros = monotonicMicros();
  lag.take();
  const told = await runUsers({ ...plan, jobs }, target);
  const { user, system } = process.cpuUsage(cpuBefore);
  const { receivedBytes, sentBytes } = wireBytes();
  return {
    ...told,
    receivedBytes: receivedBytes - bytesBefore.receivedBytes,
    sentBytes: sentBytes - bytesBefore.sentBytes,
    cpuMicros: user + system,
    wallMicros: monotonicMicros() - startMicros,
    longestLoopLagMicros: lag.take(),
  };
}

process.on('message', async (order: UsersOrder) => void process.send?.(await run(order)));
// Nobody is left to tell, and connections may be open yet.
process.on('disconnect', () => process.exit());
