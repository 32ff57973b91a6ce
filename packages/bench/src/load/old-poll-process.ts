// A process of polling readers: what it is told by its parent, it does.
import type { PollOrder, PollPlan, PollTold } from './poll-messages.ts';
import { Pollers } from './pollers.ts';

const tell = (told: PollTold) => void process.send?.(told);
const pollers = new Pollers(JSON.parse(process.argv[2] as string) as PollPlan);
process.on('message', (order: PollOrder) => {
  if (order.order === 'report') {
    tell(pollers.report(order.sinceMicros));
    return;
  }
  if (order.order === 'begin') {
    pollers.begin();
    return;
  }
  pollers.stop();
  process.disconnect();
});
// Nobody is left to tell.
process.on('disconnect', () => process.exit());
tell({ opened: await pollers.open() });
