import { StreamError } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test, vi } from 'vitest';
import { pushSettings } from '../../src/options.ts';
import type { CommitSource, EncodedCommit } from '../../src/push/encoded-commits.ts';
import type { Snapshot } from '../../src/push/snapshots.ts';
import { OwnerLink } from '../../src/workers/owner-link.ts';
import type { WorkerChannel } from '../../src/workers/worker-channel.ts';
import { WorkerHub } from '../../src/workers/worker-hub.ts';
import type { ToOwner, ToWorker } from '../../src/workers/worker-messages.ts';
import { WorkerSession } from '../../src/workers/worker-session.ts';
import { workerShare } from '../../src/workers/worker-share.ts';
import { channelPair } from './channel-pair.ts';

const description = { name: 's' } as never;

function packet(after: number, last: number): EncodedCommit {
  const members = Array.from({ length: last - after }, (_, index) => ({ node: `"${after + 1 + index}"`, others: '' }));
  const subjects = members.map(({ node }) => ({ entity: node, kind: 'upsert' as const, types: [] }));
  return {
    after,
    last,
    id: `e-${last}`,
    subjects,
    pieces: { context: '{}', head: [], stream: '{"@id":"s"', link: '"tree:member"', members },
  };
}

/** A source whose commits a test makes. */
class ScriptedPackets implements CommitSource {
  head = { epoch: 'e', sequence: 0 };
  heldFrom = 1;
  get published() {
    return this.head;
  }
  readonly snapshots = { after: (after: number) => this.state(after) };
  readonly asked: string[] = [];
  readonly #listeners = new Set<(packet: EncodedCommit) => void>();
  readonly #packets: EncodedCommit[] = [];

  commit(size = 1): EncodedCommit {
    const next = packet(this.head.sequence, this.head.sequence + size);
    this.#packets.push(next);
    this.head = { epoch: 'e', sequence: next.last };
    for (const listener of this.#listeners) listener(next);
    return next;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  subscribe(listener: (packet: EncodedCommit) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async read(after: number): Promise<readonly EncodedCommit[]> {
    this.asked.push(`read ${after}`);
    if (after + 1 < this.heldFrom) throw new StreamError('ERR_MEMBERS_REMOVED', 'removed', { heldFrom: this.heldFrom });
    if (after === 13) throw new Error('no luck');
    return this.#packets.filter((each) => each.after >= after).slice(0, 2);
  }

  bytesAfter(): undefined {
    return undefined;
  }

  async state(after: number): Promise<Snapshot> {
    this.asked.push(`state ${after}`);
    const all = this.#packets.filter((each) => each.after >= after);
    const part = async (index: number) => {
      if (after === 13 && index === 1) throw new Error('no luck');
      return all[index] as EncodedCommit;
    };
    return { after, to: this.head.sequence, length: all.length, part };
  }

  async caughtUp(): Promise<void> {}

  close(): void {}
}

const never = () => new Promise<undefined>(() => undefined);

async function attached(source: ScriptedPackets, sleep = never) {
  const links = { breakEvenSeconds: 10, statedBreakEvens: {}, contextUrls: [] };
  const hub = new WorkerHub({
    streams: [{ description, commits: source, snapshots: source.snapshots }],
    settings: pushSettings(),
    links,
    limitUrlBytes: 4096,
    requestTimeoutMs: 300_000,
    sleep,
  });
  const join = async () => {
    const { left, right } = channelPair<ToWorker, ToOwner>();
    const link = new OwnerLink(right);
    hub.attach(left, 1);
    const { packets } = await link.task;
    return { link, remote: packets.get('s') as NonNullable<ReturnType<typeof packets.get>>, cut: () => right.cut() };
  };
  return { hub, join, ...(await join()) };
}

test('PUSH-46 a commit reaches each worker once, and the head moves with it', async () => {
  const source = new ScriptedPackets();
  source.commit(3);
  const world = await attached(source);
  const other = await world.join();
  expect(source.listeners).toBe(1);
  expect(world.remote.head).toEqual({ epoch: 'e', sequence: 3 });
  const seen: [EncodedCommit, number][] = [];
  for (const { remote } of [world, other]) {
    remote.subscribe((each) => seen.push([each, remote.head.sequence]));
  }
  const sent = source.commit(2);
  await eventually(() => expect(seen).toHaveLength(2));
  expect(seen).toEqual([
    [sent, 5],
    [sent, 5],
  ]);
  // Remembered: nothing was asked for.
  expect(world.remote.read(3)).toEqual([sent]);
  expect(source.asked).toEqual([]);
  world.cut();
  other.cut();
  await eventually(() => expect(source.listeners).toBe(0));
});

test('PUSH-47 readers who lack the same ask once, and get the same packets', async () => {
  const source = new ScriptedPackets();
  for (let count = 0; count < 3; count += 1) source.commit();
  const { remote } = await attached(source);
  const [first, second] = await Promise.all([remote.read(0), remote.read(0)]);
  expect(first).toBe(second);
  expect(first?.map(({ last }) => last)).toEqual([1, 2]);
  expect((await remote.read(0))[0]).toBe(first?.[0]);
  const [state, again] = await Promise.all([remote.snapshots.after(0), remote.snapshots.after(0)]);
  expect(state).toBe(again);
  expect(await state?.part(2)).toEqual(await (await source.state(0)).part(2));
  expect(source.asked).toEqual(['read 0', 'state 0', 'state 0']);
});

test('PUSH-47 what retention erased is told as such, and from where on there is more', async () => {
  const source = new ScriptedPackets();
  source.commit(20);
  const { remote } = await attached(source);
  source.heldFrom = 11;
  await expect(remote.read(2)).rejects.toMatchObject({ code: 'ERR_MEMBERS_REMOVED', details: { heldFrom: 11 } });
  expect(remote.heldFrom).toBe(11);
});

test('PUSH-49 what the owner fails to give fails at the worker, whole or from a part on', async () => {
  const source = new ScriptedPackets();
  source.commit(13);
  source.commit();
  source.commit();
  const { remote } = await attached(source);
  await expect(remote.read(13)).rejects.toMatchObject({
    code: 'ERR_OWNER_FAILED',
    message: expect.stringContaining('no luck'),
  });
  const state = await remote.snapshots.after(13);
  expect((await state.part(0)).last).toBe(14);
  await expect(state.part(1)).rejects.toMatchObject({ code: 'ERR_OWNER_FAILED' });
  await expect(state.part(7)).rejects.toThrow(RangeError);
});

test('PUSH-49 what was asked for fails when the owner goes', async () => {
  const source = new ScriptedPackets();
  source.commit();
  source.read = never as never;
  const { hub, remote, link } = await attached(source);
  const read = remote.read(0);
  hub.close();
  await expect(read).rejects.toMatchObject({ code: 'ERR_OWNER_LOST' });
  await expect(link.read('s', 0)).rejects.toMatchObject({ code: 'ERR_OWNER_LOST' });
});

/** A channel that takes messages, and lets them go when it is told. */
function slowChannel() {
  const sent: ToWorker[] = [];
  let tell: (message: ToOwner) => void = () => undefined;
  let leave: (() => void)[] = [];
  const cut = vi.fn();
  const channel: WorkerChannel<ToWorker, ToOwner> = {
    send: (message) => {
      sent.push(message);
      return new Promise((resolve) => leave.push(resolve));
    },
    onMessage: (listener) => {
      tell = listener;
    },
    onClose: () => undefined,
    cut,
  };
  const letGo = async () => {
    for (const resolve of leave) resolve();
    leave = [];
    await Promise.resolve();
  };
  return { channel, sent, cut, letGo, tell: (message: ToOwner) => tell(message) };
}

test('PUSH-51 a worker that takes no more is cut, past the limit and not at it', async () => {
  const { channel, sent, cut, letGo } = slowChannel();
  const session = new WorkerSession(channel, new Map(), 1000);
  for (let count = 0; count < 2; count += 1) session.commit('s', 1, new Uint8Array(500));
  await letGo();
  for (let count = 0; count < 3; count += 1) session.commit('s', 1, new Uint8Array(500));
  expect(sent).toHaveLength(5);
  expect(cut).not.toHaveBeenCalled();
  session.commit('s', 1, new Uint8Array(1));
  expect(sent).toHaveLength(5);
  expect(cut).toHaveBeenCalledOnce();
});

test('PUSH-54 a worker that does not answer is left out of health, and what it told last stands in the metrics', async () => {
  const world = { isSilent: false };
  // Who waits for those that are silent waits no longer than that.
  const { hub, link, cut } = await attached(new ScriptedPackets(), async () => (world.isSilent ? undefined : never()));
  const counted = (value: number) => ({ ldes_live_push_commits_total: [{ labels: { stream: 's' }, value }] });
  const held = (value: number) => ({ ldes_live_push_admitted_connections: [{ labels: {}, value }] });
  link.serve({
    report: () => ({ connections: { s: 5 }, metrics: { ...counted(3), ...held(5) } }),
    drain: async () => {},
  });
  expect(await hub.connections()).toEqual(new Map([['s', 5]]));
  expect(await hub.metrics()).toEqual({ ...counted(3), ...held(5) });
  world.isSilent = true;
  expect(await hub.connections()).toEqual(new Map());
  expect(await hub.metrics()).toEqual({ ...counted(3), ...held(5) });
  cut();
  await eventually(async () => expect(await hub.metrics()).toEqual(counted(3)));
});

test('PUSH-53 those who are asked to end before they serve do so when they do', async () => {
  const source = new ScriptedPackets();
  const { hub, link } = await attached(source);
  const draining = hub.drain();
  let ended = false;
  link.serve({
    report: () => ({ connections: {}, metrics: {} }),
    drain: async () => {
      ended = true;
      throw new Error('not in order');
    },
  });
  await draining;
  expect(ended).toBe(true);
});

test('PUSH-53 a worker that does not end holds the owner up no longer than it may', async () => {
  const source = new ScriptedPackets();
  const waits: number[] = [];
  const { hub } = await attached(source, (async (durationMs: number) => {
    waits.push(durationMs);
  }) as never);
  await hub.drain();
  expect(waits).toEqual([pushSettings().shutdownGraceMs + 1000]);
});

test('PUSH-49 a worker that asks for what cannot even be refused is cut, and fails nobody else', async () => {
  const { channel, cut, tell } = slowChannel();
  new WorkerSession(channel, new Map(), 1000);
  tell({ kind: 'ask', id: 1, question: { kind: 'read', stream: 'unknown', after: 0 } });
  await eventually(() => expect(cut).toHaveBeenCalledOnce());
});

test('PUSH-54 a worker that hangs is asked once, and answers whoever asks at that time', async () => {
  const { channel, sent, tell } = slowChannel();
  const session = new WorkerSession(channel, new Map(), 1000);
  const late = new AbortController();
  const asked = [1, 2, 3].map(() => session.report(late.signal));
  late.abort();
  expect(await Promise.all(asked)).toEqual([undefined, undefined, undefined]);
  const again = session.report(new AbortController().signal);
  expect(sent.map(({ kind }) => kind)).toEqual(['report']);
  const report = { connections: {}, metrics: {} };
  tell({ kind: 'report', report });
  expect(await again).toBe(report);
  void session.report(new AbortController().signal);
  expect(sent.map(({ kind }) => kind)).toEqual(['report', 'report']);
});

test('PUSH-54 a worker that is asked how it fares before it serves tells it when it does', async () => {
  const { hub, link } = await attached(new ScriptedPackets());
  const asked = hub.connections();
  link.serve({ report: () => ({ connections: { s: 1 }, metrics: {} }), drain: async () => {} });
  expect(await asked).toEqual(new Map([['s', 1]]));
});

test('PUSH-64 what the owner has told before it is asked has come when it answers, and few questions do for many', async () => {
  const source = new ScriptedPackets();
  const { remote } = await attached(source);
  source.commit(2);
  const waiting = [remote.caughtUp(), remote.caughtUp()];
  await waiting[0];
  expect(remote.head.sequence).toBe(2);
  // Who asks while a question is under way knows of later commits than its answer brings.
  const { channel, sent, tell } = slowWorkerChannel();
  const slow = new OwnerLink(channel);
  const seen: number[] = [];
  for (const id of [1, 2, 3]) {
    void slow.caughtUp().then(() => seen.push(id));
    await settled();
  }
  expect(sent).toEqual([{ kind: 'echo' }]);
  tell({ kind: 'echo' });
  await settled();
  expect([seen, sent.length]).toEqual([[1], 2]);
  tell({ kind: 'echo' });
  await settled();
  expect([seen, sent.length]).toEqual([[1, 2, 3], 2]);
});

test('PUSH-64 who waits for an owner that goes waits no longer', async () => {
  const { channel, close } = slowWorkerChannel();
  const link = new OwnerLink(channel);
  const waiting = [link.caughtUp()];
  await settled();
  waiting.push(link.caughtUp());
  close();
  await Promise.all([...waiting, link.caughtUp()]);
});

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The worker's end of a channel whose other end is the test. */
function slowWorkerChannel() {
  const sent: ToOwner[] = [];
  let tell: (message: ToWorker) => void = () => undefined;
  let close: () => void = () => undefined;
  const channel: WorkerChannel<ToOwner, ToWorker> = {
    send: async (message) => void sent.push(message),
    onMessage: (listener) => {
      tell = listener;
    },
    onClose: (listener) => {
      close = listener;
    },
    cut: () => undefined,
  };
  return { channel, sent, tell: (message: ToWorker) => tell(message), close: () => close() };
}

test('PUSH-50 what counts for all is divided, and what counts for one is not', () => {
  const all = pushSettings({ limitConnections: 10, limitAcceptsPerSecond: 7, limitQueueBytes: 1000 });
  const share = workerShare(all, 3);
  expect(share).toEqual({
    ...all,
    limitConnections: 4,
    limitAcceptsPerSecond: 3,
    limitConnectionsPerAddress: 334,
    limitWaitingAccepts: 6667,
  });
  expect(workerShare(all, 1)).toEqual(all);
});
