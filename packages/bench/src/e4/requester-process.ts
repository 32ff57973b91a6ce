// The process of the users and the providers: what it is told by its parent, it does.
import type { RequesterOrder, RequestersPlan, RequesterTold } from './requester-messages.ts';
import { Requesters } from './requesters.ts';

const requesters = await Requesters.open(JSON.parse(process.argv[2] as string) as RequestersPlan);
const tell = (told: RequesterTold) => void process.send?.(told);

process.on('message', async (order: RequesterOrder) => {
  if (order.order === 'round') tell({ kind: 'round', report: await requesters.round(order.kind, order.schedule) });
  else {
    requesters.stop();
    process.disconnect();
  }
});
// Nobody is left to tell.
process.on('disconnect', () => process.exit());
tell({ kind: 'open' });
