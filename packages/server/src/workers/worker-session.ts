import type { PushedStream } from '../push/endpoint.ts';
import type { Snapshot } from '../push/snapshots.ts';
import { carriedError } from './carried-error.ts';
import { pack } from './carried-packet.ts';
import type { WorkerChannel } from './worker-channel.ts';
import type { ToOwner, ToWorker, WorkerHello, WorkerQuestion, WorkerReport } from './worker-messages.ts';

/** Bytes of commits that may wait for one worker: one that takes no more is not going to. */
export const LIMIT_WORKER_BYTES = 256 * 1024 * 1024;

type Asked = Extract<ToOwner, { kind: 'ask' }>;

/** What the owner of the logs has with one worker. */
export class WorkerSession {
  readonly #channel: WorkerChannel<ToWorker, ToOwner>;
  readonly #streams: ReadonlyMap<string, PushedStream>;
  readonly #limitBytes: number;
  readonly #reports = new Set<(report: WorkerReport | undefined) => void>();
  readonly #drained = new Set<() => void>();
  /** One answer of a kind is made at a time, and the next when it has left: what waits for a worker is bounded. */
  readonly #turns: Record<WorkerQuestion['kind'], Promise<void>> = {
    read: Promise.resolve(),
    state: Promise.resolve(),
  };
  #isReportAsked = false;
  #waitingBytes = 0;
  #isOpen = true;

  /** @param limitBytes - bytes of commits that may wait */
  constructor(
    channel: WorkerChannel<ToWorker, ToOwner>,
    streams: ReadonlyMap<string, PushedStream>,
    limitBytes: number,
  ) {
    this.#channel = channel;
    this.#streams = streams;
    this.#limitBytes = limitBytes;
    channel.onMessage((message) => this.#take(message));
  }

  greet(hello: WorkerHello): void {
    void this.#channel.send({ kind: 'hello', hello });
  }

  /**
   * Gives it a commit. One that has not taken the last ones is cut, and its readers resume elsewhere.
   *
   * @see specs/push.md PUSH-51
   */
  commit(stream: string, heldFrom: number, packet: Uint8Array): void {
    if (this.#waitingBytes > this.#limitBytes) {
      this.cut();
      return;
    }
    this.#waitingBytes += packet.length;
    void this.#channel.send({ kind: 'commit', stream, heldFrom, packet }).then(() => {
      this.#waitingBytes -= packet.length;
    });
  }

  /**
   * How it fares; `undefined` when it goes before it has said so.
   *
   * @param late - gives the wait up
   */
  report(late: AbortSignal): Promise<WorkerReport | undefined> {
    return new Promise((resolve) => {
      this.#reports.add(resolve);
      late.addEventListener('abort', () => {
        this.#reports.delete(resolve);
        resolve(undefined);
      });
      // One that hangs is not asked again and again.
      if (this.#isReportAsked) return;
      this.#isReportAsked = true;
      void this.#channel.send({ kind: 'report' });
    });
  }

  /** Has it end its streams; resolves when it has, or is gone. */
  drain(): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#isOpen) {
        resolve();
        return;
      }
      this.#drained.add(resolve);
      void this.#channel.send({ kind: 'drain' });
    });
  }

  cut(): void {
    this.#channel.cut();
    this.close();
  }

  /** Its channel is closed. */
  close(): void {
    this.#isOpen = false;
    this.#reported(undefined);
    for (const resolve of this.#drained) resolve();
    this.#drained.clear();
  }

  #take(message: ToOwner): void {
    switch (message.kind) {
      case 'ask':
        this.#turns[message.question.kind] = this.#turns[message.question.kind]
          .then(() => this.#answer(message))
          // Nobody is to wait for an answer that will never come: its readers resume elsewhere.
          .catch(() => this.cut());
        break;
      case 'echo':
        void this.#echo();
        break;
      case 'report':
        this.#isReportAsked = false;
        this.#reported(message.report);
        break;
      case 'drained':
        for (const resolve of this.#drained) resolve();
        this.#drained.clear();
        break;
    }
  }

  /** After what was committed before it was asked for: a large commit is still being written when documents have it. */
  async #echo(): Promise<void> {
    // A source that fails tells nothing more.
    await Promise.allSettled([...this.#streams.values()].map(({ commits }) => commits.caughtUp()));
    if (this.#isOpen) void this.#channel.send({ kind: 'echo' });
  }

  #reported(report: WorkerReport | undefined): void {
    for (const resolve of this.#reports) resolve(report);
    this.#reports.clear();
  }

  async #answer({ id, question }: Asked): Promise<void> {
    if (!this.#isOpen) return;
    // A worker knows only streams that it was told of.
    const { commits, snapshots } = this.#streams.get(question.stream) as PushedStream;
    try {
      if (question.kind === 'state') {
        await this.#sendState(id, await snapshots.after(question.after));
        return;
      }
      const read = await commits.read(question.after);
      await this.#channel.send({ kind: 'packets', id, heldFrom: commits.heldFrom, packets: read.map(pack) });
    } catch (error) {
      await this.#channel.send({ kind: 'refused', id, heldFrom: commits.heldFrom, error: carriedError(error) });
    }
  }

  async #sendState(id: number, state: Snapshot): Promise<void> {
    await this.#channel.send({ kind: 'state', id, to: state.to, length: state.length });
    for (let index = 0; index < state.length && this.#isOpen; index += 1) {
      await this.#channel.send({ kind: 'part', id, index, packet: pack(await state.part(index)) });
    }
  }
}
