import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, type TestContext } from 'vitest';

/**
 * A new folder with these files, removed when the test that asks for it has finished.
 *
 * @param test - to be given where tests run side by side: which of them asks is not known otherwise
 */
export async function temporaryFolder(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  test: Pick<TestContext, 'onTestFinished'> = { onTestFinished },
): Promise<string> {
  const folder = await keptFolder();
  test.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

/** A new folder for a whole file of tests: whoever asks for it removes it. */
export function keptFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'ldes-live-'));
}
