// A publisher that is told what to do by its parent.
import { startPublisher } from './live-publisher.ts';
import type { PublisherOrder, PublisherPlan } from './publisher-messages.ts';

const publisher = await startPublisher(JSON.parse(process.argv[2] as string) as PublisherPlan);
process.on('message', async ({ order }: { readonly order: PublisherOrder }) => {
  if (order === 'publish') publisher.publish();
  if (order === 'hold') await publisher.hold();
  if (order === 'begin') publisher.begin();
  if (order === 'close') await publisher.close();
  process.send?.(order === 'report' ? publisher.report() : {});
  if (order === 'close') process.disconnect();
});
// Nobody is left to tell.
process.on('disconnect', () => process.exit());
process.send?.({});
