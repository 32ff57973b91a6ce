import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/read-config.ts';

test.skipIf(process.platform === 'win32')('DOC-93 a key that is a pipe is refused, and not waited for', async () => {
  const text =
    'publicUrl: https://a.example/\ntls: { cert: ./c, key: ./k }\nstreams: { a: { source: { gtfs: "https://a/" } } }\n';
  const folder = await temporaryFolder({ c: 'certificate', 'live.yml': text });
  execFileSync('mkfifo', [join(folder, 'k')]);
  const message = expect.stringContaining(`${join(folder, 'k')}: it is a pipe`);
  await expect(readConfig(join(folder, 'live.yml'), {})).rejects.toMatchObject({ code: 'ERR_CONFIG_INVALID', message });
});
