import type { CapacityCosts } from './capacity-question.ts';

/**
 * What to reckon with where nobody has measured: on the safe side of what `npm run bench -- capacity` found with 2 cores of an
 * AMD EPYC and Node 20.20, server and load on a core each, a payload of 5.2 kB.
 *
 * Found, in single runs beside other work: 42 to 93 us of a core for a poll of the latest state, 13 to 23 us for a delivery, 7 to
 * 15 KiB for a push connection, 1 to 9 KiB for a polling one, 95 MiB for a process, 1,195 bytes of header fields. Of the demonstration's streams answers are 3.5 to 13
 * times smaller in gzip, and events, which are compressed together, 7 to 26 times.
 *
 * @see specs/capacity.md
 */
export const DEFAULT_CAPACITY_COSTS: CapacityCosts = {
  requestsPerSecond: 10_000,
  deliveriesPerSecond: 40_000,
  utilisation: 0.7,
  bytesPerStream: 16 * 1024,
  bytesPerPoller: 12 * 1024,
  bytesPerProcess: 100 * 1024 ** 2,
  keepAliveSeconds: 72,
  pollOverheadBytes: 1200,
  eventOverheadBytes: 60,
  pollCompression: 4,
  pushCompression: 10,
};

/** The size of the state that is reckoned with where none is given: that of the published experiment, bytes. */
export const DEFAULT_PAYLOAD_BYTES = 5200;

/** Places of a CDN that are reckoned with where their number is not given. */
export const DEFAULT_CDN_POPS = 100;
