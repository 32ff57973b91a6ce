import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { open, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { eventually } from '@ldes-live/test-support/eventually';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { reservedPort } from '@ldes-live/test-support/net';
import { seededBytes, size } from '@ldes-live/test-support/properties';
import { expect, onTestFinished, test } from 'vitest';
import { answers, COMMAND, startProcess } from './support/commands.ts';

const ROUNDS = size({ gate: 2, night: 20 });
const DISK_MIB = 256;
const TOKEN = 'try-it-out';

test(`STORE-1 ${ROUNDS} times a disk fills while the server works and is freed: no crash, no loss, posts get 503, and all else goes on`, {
  timeout: 60_000 + ROUNDS * 30_000,
}, async () => {
  const folder = await temporaryFolder();
  const disk = join(folder, 'disk');
  const port = String(await reservedPort());
  const publicUrl = `http://localhost:${port}/`;
  const hash = createHash('sha256').update(TOKEN).digest('hex');
  await writeFile(
    join(folder, 'config.yml'),
    `publicUrl: ${publicUrl}\nstore: ${disk}/data\nstreams:\n  things:\n    source: { post: true, tokens: ["${hash}"] }\n`,
  );
  // A disk of memory that only the server sees, as any user may mount it.
  const mount = `mkdir ${disk} && mount -t tmpfs -o size=${DISK_MIB}m tmpfs ${disk} && exec "$@"`;
  const command = [
    process.execPath,
    COMMAND,
    'serve',
    join(folder, 'config.yml'),
    '--port',
    port,
    '--host',
    'localhost',
  ];
  const server = startProcess('unshare', ['--map-root-user', '--mount', 'sh', '-c', mount, 'sh', ...command]);
  onTestFinished(() => server.stop());
  await answers(`${publicUrl}things`, server);
  const diskThere = `/proc/${server.child.pid}/root${disk}`;

  const events = request(`${publicUrl}things/events`).end();
  onTestFinished(() => void events.destroy());
  const [stream] = await once(events, 'response');
  let pushed = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    pushed += text;
  });

  const acknowledged = new Map<string, string>();
  let posted = 0;
  /** Posts a member of about so many bytes; its status. */
  const post = async (bytes: number): Promise<number> => {
    posted += 1;
    const entity = `urn:thing:${posted % 40}`;
    // Noise, which no compression makes small.
    const text = seededBytes(`full disk ${posted}`, bytes * 0.75).toString('base64');
    const body = `<${entity}> <urn:number> "${posted}" ; <urn:text> "${text}" .`;
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'text/turtle' };
    const answer = await fetch(`${publicUrl}things`, { method: 'POST', headers, body });
    if (answer.status === 201) acknowledged.set(entity, String(posted));
    else expect(await answer.json()).toMatchObject({ status: answer.status, code: 'ERR_POST_NOT_STORED' });
    return answer.status;
  };
  const serves = async () => {
    for (const place of ['things', 'things/latest', 'health']) {
      expect([place, (await fetch(publicUrl + place)).status]).toEqual([place, 200]);
    }
  };

  for (let round = 0; round < ROUNDS; round += 1) {
    const bytes = [200, 200_000, 1_000_000][round % 3]!;
    expect(await post(bytes)).toBe(201);
    // Another program fills it, while members are posted, and leaves nothing at all.
    const filler = await open(join(diskThere, 'filler'), 'w');
    const filling = (async () => {
      for (;;) await filler.write(Buffer.alloc(4 * 1024 * 1024));
    })().catch((error: NodeJS.ErrnoException) => expect(error.code).toBe('ENOSPC'));
    const meanwhile = async () => {
      const statuses: number[] = [];
      while (statuses.at(-1) !== 503) statuses.push(await post(bytes));
      return statuses.slice(0, -1);
    };
    const [statuses] = await Promise.all([meanwhile(), filling]);
    expect(statuses.filter((status) => status !== 201)).toEqual([]);
    await filler.close();
    for (let attempt = 0; attempt < 3; attempt += 1) expect(await post(bytes)).toBe(503);
    await serves();
    await rm(join(diskThere, 'filler'));
    expect(await post(bytes)).toBe(201);
    await serves();
    await eventually(() => expect(pushed).toContain(`"${posted}"`));
    pushed = '';
    expect(server.child.exitCode).toBe(null);
  }

  const numbers = async () => {
    const text = await (
      await fetch(`${publicUrl}things/latest`, { headers: { accept: 'application/n-quads' } })
    ).text();
    return new Map(
      [...text.matchAll(/^<(urn:thing:\d+)#[^>]*> <urn:number> "(\d+)"/gm)].map(([, entity, number]) => [
        entity,
        number,
      ]),
    );
  };
  expect(await numbers()).toEqual(acknowledged);
});
