import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Recordings of real feeds are not part of the repository.
const root = process.env.LDES_LIVE_FIXTURES ?? fileURLToPath(new URL('../../../../shared/fixtures', import.meta.url));
const folder = `${root}/gtfs-rt`;

/** Whether the recordings are on this machine. */
export const haveRecordings: boolean = existsSync(folder);

/** A recording's bytes, by its path below the folder of GTFS-Realtime recordings. */
export function recording(path: string): Uint8Array {
  return new Uint8Array(readFileSync(`${folder}/${path}`));
}

/** Paths of the recordings in a folder, in order of name; none when there are no recordings. */
export function recordingsIn(path: string): string[] {
  if (!haveRecordings) return [];
  return readdirSync(`${folder}/${path}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.pb'))
    .sort()
    .map((name) => `${path}/${name}`);
}
