import { expect, test } from 'vitest';
import { pushSettings } from '../../src/push/push-options.ts';
import { workerShare } from '../../src/workers/worker-share.ts';

test('PUSH-50 what counts for all is divided, and what counts for one is not', () => {
  const all = pushSettings({ limitConnections: 10, limitAcceptsPerSecond: 7, limitQueueBytes: 1000 });
  const share = workerShare(all, 3);
  expect(share).toEqual({
    ...all,
    limitConnections: 4,
    limitAcceptsPerSecond: 3,
    limitConnectionsPerAddress: 334,
    limitWaitingAccepts: 6667,
  });
  expect(workerShare(all, 1)).toEqual(all);
});
