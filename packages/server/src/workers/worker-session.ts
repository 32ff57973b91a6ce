import type { State } from '../push/packet-source.ts';
import type { PushedStream } from '../push/push-endpoint.ts';
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
  readonly #reports = new Map<number, (report: WorkerReport | undefined) => void>();
  readonly #drained = new Set<() => void>();
  /** One answer of a kind is made at a time, and the next when it has left: what waits for a worker is bounded. */
  readonly #turns: Record<WorkerQuestion['kind'], Promise<void>> = {
    read: Promise.resolve(),
    state: Promise.resolve(),
  };
  #lastReport = 0;
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

  /** How it fares; `undefined` when it goes before it has said so. */
  report(): Promise<WorkerReport | undefined> {
    this.#lastReport += 1;
    const id = this.#lastReport;
    return new Promise((resolve) => {
      this.#reports.set(id, resolve);
      void this.#channel.send({ kind: 'report', id });
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
    for (const resolve of this.#reports.values()) resolve(undefined);
    this.#reports.clear();
    for (const resolve of this.#drained) resolve();
    this.#drained.clear();
  }

  #take(message: ToOwner): void {
    switch (message.kind) {
      case 'ask':
        this.#turns[message.question.kind] = this.#turns[message.question.kind].then(() => this.#answer(message));
        break;
      case 'report':
        this.#reports.get(message.id)?.(message.report);
        this.#reports.delete(message.id);
        break;
      case 'drained':
        for (const resolve of this.#drained) resolve();
        this.#drained.clear();
        break;
    }
  }

  async #answer({ id, question }: Asked): Promise<void> {
    if (!this.#isOpen) return;
    // A worker knows only streams that it was told of.
    const { source } = this.#streams.get(question.stream) as PushedStream;
    try {
      if (question.kind === 'state') {
        await this.#sendState(id, await source.state(question.after));
        return;
      }
      const read = await source.read(question.after);
      await this.#channel.send({ kind: 'packets', id, heldFrom: source.heldFrom, packets: read.map(pack) });
    } catch (error) {
      await this.#channel.send({ kind: 'refused', id, heldFrom: source.heldFrom, error: carriedError(error) });
    }
  }

  async #sendState(id: number, state: State): Promise<void> {
    await this.#channel.send({ kind: 'state', id, to: state.to, length: state.length });
    for (let index = 0; index < state.length && this.#isOpen; index += 1) {
      await this.#channel.send({ kind: 'part', id, index, packet: pack(await state.part(index)) });
    }
  }
}
