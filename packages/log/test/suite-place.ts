import { describeStream, type StreamDescription } from '@ldes-live/rdf-stream';
import { onTestFinished } from 'vitest';
import type { LogStore, LogStoreOptions } from '../src/log-store.ts';
import type { StreamLog } from '../src/stream-log.ts';

/** One place where a store can be, empty at first. */
interface StorePlace {
  /** Opens the store that is there, whoever closed it before. */
  open(options: LogStoreOptions): Promise<LogStore>;
  /** Frees the place; the store is closed by then. */
  remove(): Promise<void>;
}

/** A kind of store to be tested. */
export interface StoreSubject {
  readonly name: string;
  /** Whether a store that is closed and opened again still has its logs. */
  readonly persists: boolean;
  /** Makes a place for one test. */
  newPlace(): Promise<StorePlace>;
}

/** The time at which the fixtures' clocks stand, epoch milliseconds. */
export const NOON_MS = Date.UTC(2026, 10, 21, 12);

/** The stream that most tests write. */
export const vehicles: StreamDescription = describeStream({ publicUrl: 'http://localhost:3000/', name: 'vehicles' });

/** A store in a place of its own, closed and removed with the test. */
export async function openStore(subject: StoreSubject, options: Partial<LogStoreOptions> = {}): Promise<LogStore> {
  const place = await subject.newPlace();
  const store = await place.open({ clock: () => NOON_MS, random: () => 0.5, ...options });
  onTestFinished(async () => {
    await store.close();
    await place.remove();
  });
  return store;
}

/** An empty log of {@link vehicles}, closed and removed with the test. */
export async function openLog(subject: StoreSubject, options: Partial<LogStoreOptions> = {}): Promise<StreamLog> {
  return (await openStore(subject, options)).open(vehicles);
}
