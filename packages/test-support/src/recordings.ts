import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'vitest';

// Recordings of real feeds are not part of the repository.
const { CI, LDES_LIVE_FIXTURES } = process.env;
const root = LDES_LIVE_FIXTURES ?? fileURLToPath(new URL('../../../../shared/fixtures', import.meta.url));

/** What kind of recordings: the name of their folder. */
type RecordingKind = 'gtfs-rt' | 'sensors';

/**
 * A group of tests on real recordings.
 *
 * Where they are absent one test says so: it is skipped. In CI it fails, unless `LDES_LIVE_FIXTURES=none` says that there
 * are none.
 */
export function describeRecordings(name: string, body: () => void, kind: RecordingKind = 'gtfs-rt'): void {
  if (existsSync(`${root}/${kind}`)) {
    describe(name, body);
    return;
  }
  // The body may read recordings before its tests run, so that it is not even looked into.
  test.skipIf(CI !== 'true' || LDES_LIVE_FIXTURES === 'none')('there are recordings of real feeds', () => {
    throw new Error(`"${name}" needs ${root}/${kind}: set LDES_LIVE_FIXTURES to a folder that has it, or to "none".`);
  });
}

/** The bytes of a recording, by its path below the folder of its kind. */
export function recording(path: string, kind: RecordingKind = 'gtfs-rt'): Uint8Array {
  return new Uint8Array(readFileSync(pathOfRecording(path, kind)));
}

/** Where a recording is, or something that stands beside one. */
export function pathOfRecording(path: string, kind: RecordingKind = 'gtfs-rt'): string {
  return `${root}/${kind}/${path}`;
}

/** The names of the recorded GTFS-Realtime feeds in a folder and below, in order. */
export function recordings(folder: string): string[] {
  const names = readdirSync(`${root}/gtfs-rt/${folder}`, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.pb'))
    .sort()
    .map((name) => `${folder}/${name}`);
}
