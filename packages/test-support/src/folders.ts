import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new folder, removed when the test that asks for it has finished. */
export async function temporaryFolder(): Promise<string> {
  const folder = await keptFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A new folder for a whole file of tests: whoever asks for it removes it. */
export function keptFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'ldes-live-'));
}
