import { setTimeout as delay } from 'node:timers/promises';
import { createLiveClient, type MemberChange } from '@ldes-live/client';
import type { Row } from './row.ts';
import type { RowConnection, RowListener, RowTarget } from './row-consumer.ts';
import { ROW_NAMESPACE, rowOf } from './row-terms.ts';

const MAL_SECONDS = 0.1;
const LOOK_MS = 5;

/**
 * Follows the rows by the framework's client, one client for each connection: followers of one client would share one.
 * Bytes are not known.
 */
export async function consumeLiveClient({ port, path }: RowTarget, listener: RowListener): Promise<RowConnection> {
  const ending = new AbortController();
  const url = `http://127.0.0.1:${port}${path}`;
  const follower = createLiveClient({ mal: MAL_SECONDS }).follow(url, { from: 'now', signal: ending.signal });
  const reading = (async () => {
    let rows: Row[] = [];
    for await (const change of follower) {
      if (change.kind === 'gap') continue;
      rows.push(rowOfMember(change.member));
      if (!change.endsCommit) continue;
      listener.onRows(rows);
      rows = [];
    }
  })();
  reading.catch(() => undefined);
  while (!(follower.status.mode === 'push' && follower.status.isCaughtUp)) {
    await Promise.race([delay(LOOK_MS), reading]);
  }
  return { close: () => ending.abort() };
}

function rowOfMember({ quads }: MemberChange['member']): Row {
  const said = new Map(quads.map(({ predicate, object }) => [predicate.value, object.value]));
  return rowOf((field) => said.get(ROW_NAMESPACE + field));
}
