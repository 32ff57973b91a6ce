import { expect, test } from 'vitest';
import { startArticleNginx } from '../../src/fronts/article-nginx-front.ts';
import { isInstalled } from '../../src/installed-program.ts';
import { monotonicMicros } from '../../src/load/monotonic-micros.ts';
import { stamp } from '../../src/load/stamp.ts';
import { startExpressPeer } from '../../src/subjects/express-peer.ts';

const EVERY_MS = 60_000;

test.runIf(isInstalled('nginx') || process.env.CI === 'true')(
  'the nginx of the article keeps a document until its update, and says so by Expires alone',
  async () => {
    const peer = await startExpressPeer(`data: {"at":"${stamp(0)}"}\n\n`, EVERY_MS);
    const front = await startArticleNginx(new URL(`http://127.0.0.1:${peer.port}`), { processes: 2 });
    const read = async () => {
      const response = await fetch(new URL(peer.latestPath ?? '', front.url));
      return { text: await response.text(), headers: response.headers };
    };
    const micros = monotonicMicros();
    await peer.publish(micros, 0);
    const first = await read();
    expect(first.text).toContain(stamp(micros));
    expect(first.headers.get('cache-control')).toBeNull();
    expect(Date.parse(first.headers.get('expires') ?? '')).toBeGreaterThan(Date.now());
    await peer.publish(micros + 1, 1);
    expect((await read()).text).toBe(first.text);
    expect(front.cpuMicros()).toBeGreaterThan(0);
    await front.close();
    await peer.close();
  },
);
