import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openLmdbStore } from '@ldes-live/log';
import { describeStream, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, test } from 'vitest';
import { runCommand } from './run-command.ts';

const NAME = 'a name to be found';

test('STORE-6 STORE-7 STORE-8 verify lists what is damaged of a data folder, and drops it where that is asked for', async () => {
  const path = await temporaryFolder();
  const store = await openLmdbStore({ path, clock: Date.now, random: Math.random });
  const log = await store.open(describeStream({ publicUrl: 'http://localhost:3000/', name: 'vehicles' }));
  const entity = namedNode('http://localhost:3000/vehicles/entities/1');
  const quads = [quad(entity, namedNode('http://example.org/name'), literal(NAME))];
  await log.append([{ kind: 'upsert', entity: entity.value, origin: 'feed', fingerprint: 'a', quads }]);
  await log.append([{ kind: 'delete', entity: entity.value, origin: 'feed' }]);
  await store.close();
  const sound = 'vehicles: 2 members, 0 living entities, 0 damaged\nNothing is damaged.\n';
  expect(await runCommand('verify', path)).toMatchObject({ code: 0, output: sound });

  const file = join(path, 'data.mdb');
  const bytes = await readFile(file);
  // Of pages that are free there may be copies.
  for (let at = bytes.indexOf(NAME); at >= 0; at = bytes.indexOf(NAME)) bytes[at]! ^= 1;
  await writeFile(file, bytes);
  const { code, output } = await runCommand('verify', path);
  expect([code, output.split('\n')[1], output.split('\n')[2]]).toEqual([
    1,
    '  member 1: damaged',
    'Restore the folder from a backup, or drop what is damaged with --repair.',
  ]);
  expect(await runCommand('verify', path, '--repair')).toMatchObject({
    code: 0,
    output: expect.stringContaining('  member 1: damaged, dropped\nAll of it is repaired.\n'),
  });
  expect(await runCommand('verify', path)).toMatchObject({ code: 0, output: sound });
  const { epoch } = log.head.cursor;
  const restored = await runCommand('verify', path, '--restored');
  expect(restored).toMatchObject({ code: 0, output: expect.stringContaining('The logs have new epochs') });
  const again = await openLmdbStore({ path, clock: Date.now, random: Math.random });
  const { head } = await again.open(describeStream({ publicUrl: 'http://localhost:3000/', name: 'vehicles' }));
  await again.close();
  expect([head.cursor.sequence, head.cursor.epoch === epoch]).toEqual([2, false]);
  expect(await readdir(path)).not.toContain('compact');
  expect(await runCommand('verify')).toMatchObject({ code: 2 });
  const missing = await runCommand('verify', join(path, 'nothing'));
  expect(missing).toMatchObject({ code: 1, errorOutput: expect.stringContaining('ERR_STORE_OPEN') });
});
