import type { ClientEnvironment } from '../environment/client-environment.ts';
import { firstOf } from './first-of.ts';
import { nextOnline } from './next-online.ts';
import type { Sleep } from './within.ts';

/** Over how long those who come back with the network are spread, milliseconds. */
export const ONLINE_SPREAD_MS = 1_000;

/**
 * Waits until there is a network, and then for a random part of a second, so that not all whom it brings back ask at once;
 * where there is one it does not wait.
 *
 * @see specs/mal.md MAL-54
 */
export async function untilOnline(
  { environment, random, sleep }: { environment: ClientEnvironment; random: () => number; sleep: Sleep },
  signal: AbortSignal,
): Promise<void> {
  if (environment.isOnline()) return;
  while (!environment.isOnline()) await firstOf(signal, { online: (end) => nextOnline(environment, end) });
  await sleep(random() * ONLINE_SPREAD_MS, signal);
}
