import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'vitest';

const root =
  process.env.LDES_LIVE_FIXTURES ?? fileURLToPath(new URL('../../../../../shared/fixtures', import.meta.url));

/** What kind of recordings: the name of their folder. */
export type RecordingKind = 'gtfs-rt' | 'sensors';

/** A group of tests on real recordings, skipped under a name that says so where they are absent. */
export function describeRecordings(name: string, body: () => void, kind: RecordingKind = 'gtfs-rt'): void {
  if (existsSync(`${root}/${kind}`)) describe(name, body);
  // The body may read recordings before its tests run, so that it is not even looked into.
  else test.skip(`${name} (skipped: no recordings at ${root})`, () => undefined);
}

/** The bytes of a recording. */
export function recording(path: string, kind: RecordingKind = 'gtfs-rt'): Uint8Array {
  return new Uint8Array(readFileSync(`${root}/${kind}/${path}`));
}

/** The names of the recordings in a folder and below, in order. */
export function recordings(folder: string): string[] {
  const names = readdirSync(`${root}/gtfs-rt/${folder}`, { recursive: true }) as string[];
  return names
    .filter((name) => name.endsWith('.pb'))
    .sort()
    .map((name) => `${folder}/${name}`);
}

/** How often each rule is broken by a recording, as the public validator says; absent where it says nothing. */
export function expectedRules(path: string): Readonly<Record<string, number>> | undefined {
  const file = `${root}/gtfs-rt/${path}.results.json`;
  if (!existsSync(file)) return undefined;
  const results = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly errorMessage: { readonly validationRule: { readonly errorId: string } };
    readonly occurrenceList: readonly unknown[];
  }[];
  return Object.fromEntries(
    results.map(({ errorMessage, occurrenceList }) => [errorMessage.validationRule.errorId, occurrenceList.length]),
  );
}
