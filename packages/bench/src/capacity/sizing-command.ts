import type { CapacityCosts } from '@ldes-live/latency';

/** The least memory that the command takes, KiB. */
const LEAST_KIB = 0.1;

/** The start of a command line of `ldes-live capacity`, with the rates of a core. */
export function sizingCommand({ requestsPerSecond, deliveriesPerSecond }: CapacityCosts): string {
  const [requests, deliveries] = [Math.round(requestsPerSecond), Math.round(deliveriesPerSecond)];
  return `ldes-live capacity --requests-per-second ${requests} --deliveries-per-second ${deliveries}`;
}

/** Its options for the memory of connections. */
export function sizingMemoryOptions({ bytesPerStream, bytesPerPoller }: CapacityCosts): string {
  return `--connection-kib ${kibibytes(bytesPerStream)} --poll-connection-kib ${kibibytes(bytesPerPoller)}`;
}

function kibibytes(bytes: number): number {
  return Math.max(LEAST_KIB, Number((bytes / 1024).toFixed(1)));
}
