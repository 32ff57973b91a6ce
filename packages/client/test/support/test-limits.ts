import { LIMIT_MS } from '@ldes-live/test-support/virtual-time';

/** Limits for clients under test, told from waits by their length: `VirtualTime` lets them pass when a test says so. */
export const testLimits = {
  requestMs: LIMIT_MS + 1,
  openMs: LIMIT_MS + 2,
  silenceMs: LIMIT_MS + 3,
  watchMs: LIMIT_MS + 4,
};
