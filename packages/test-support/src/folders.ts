import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new folder with these files, removed when the test that asks for it has finished. */
export async function temporaryFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<string> {
  const folder = await keptFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

/** A new folder for a whole file of tests: whoever asks for it removes it. */
export function keptFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'ldes-live-'));
}
