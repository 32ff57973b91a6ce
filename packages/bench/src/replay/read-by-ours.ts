import { createLiveClient } from '@ldes-live/client';
import { historyNumber } from './history-pages.ts';
import type { ReadingPlan, ReadingReport } from './reading-messages.ts';
import { ReadingWatch } from './reading-watch.ts';

const MAL_SECONDS = 10;
const STATES = 10;

/** Reads a history by this framework's client. */
export async function readByOurs(plan: ReadingPlan): Promise<ReadingReport> {
  const { url, isOrdered, isLive, members, limitMs } = plan;
  const signal = AbortSignal.timeout(limitMs);
  const order = isOrdered ? 'ascending' : 'none';
  const follower = createLiveClient({ mal: MAL_SECONDS }).follow(url, { from: 'start', order, signal });
  const watch = new ReadingWatch(members);
  const everyMembers = Math.ceil(members / STATES);
  let stateBytes = 0;
  const weigh = () => {
    stateBytes = Math.max(stateBytes, Buffer.byteLength(JSON.stringify(follower.state)));
  };
  let isEnded = true;
  try {
    for await (const { member } of follower) {
      if (!member) continue;
      watch.note(isLive ? member.sequence - 1 : historyNumber(member.id));
      if (watch.members % everyMembers === 0) weigh();
      if (isLive && watch.isWhole) break;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    isEnded = false;
  }
  weigh();
  return { ...watch.end(), isEnded, stateBytes };
}
