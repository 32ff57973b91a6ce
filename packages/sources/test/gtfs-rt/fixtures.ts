import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';

const root =
  process.env.LDES_LIVE_FIXTURES ?? fileURLToPath(new URL('../../../../../shared/fixtures', import.meta.url));
const present = existsSync(`${root}/gtfs-rt`);

/** A group of tests on real recordings, skipped under a name that says so where they are absent. */
export function describeRecordings(name: string, body: () => void): void {
  describe.skipIf(!present)(present ? name : `${name} (skipped: no recordings at ${root})`, body);
}

/** The bytes of a recording. */
export function recording(path: string): Uint8Array {
  return new Uint8Array(readFileSync(`${root}/gtfs-rt/${path}`));
}

/** The names of the recordings in a folder and below, in order. */
export function recordings(folder: string): string[] {
  const names = readdirSync(`${root}/gtfs-rt/${folder}`, { recursive: true }) as string[];
  return names
    .filter((name) => name.endsWith('.pb'))
    .sort()
    .map((name) => `${folder}/${name}`);
}
