import { historyNumber } from './history-pages.ts';
import { loadLdesClient } from './ldes-client.ts';
import type { ReadingPlan, ReadingReport } from './reading-messages.ts';
import { ReadingWatch } from './reading-watch.ts';

const LATE = Symbol('late');

/** Reads a history by the public `ldes-client`, as its README has it. */
export async function readByLdesClient(plan: ReadingPlan): Promise<ReadingReport> {
  const { url, isOrdered, members, limitMs } = plan;
  const { replicateLDES } = await loadLdesClient();
  const client = replicateLDES({ url, polling: false }, isOrdered ? 'ascending' : 'none');
  const watch = new ReadingWatch(members);
  const reader = client.stream({ highWaterMark: 10 }).getReader();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), limitMs);
  });
  let isEnded = false;
  for (;;) {
    const next = await Promise.race([reader.read(), late]);
    if (next === LATE) break;
    isEnded = next.done;
    if (next.done) break;
    watch.note(historyNumber(next.value.id.value));
  }
  clearTimeout(timer);
  return { ...watch.end(), isEnded };
}
