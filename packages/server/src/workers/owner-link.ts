import { errors } from '../errors.ts';
import type { EncodedCommit } from '../push/encoded-commits.ts';
import type { Snapshot } from '../push/snapshots.ts';
import { ArrivingState } from './arriving-state.ts';
import { toldError } from './carried-error.ts';
import { unpack } from './carried-packet.ts';
import { RemotePackets } from './remote-packets.ts';
import type { WorkerChannel } from './worker-channel.ts';
import type { ToOwner, ToWorker, WorkerHello, WorkerQuestion, WorkerReport } from './worker-messages.ts';

/** What a worker is told to push, and where its packets come from. */
export interface WorkerTask {
  readonly hello: WorkerHello;
  /** By the name of the stream. */
  readonly packets: ReadonlyMap<string, RemotePackets>;
}

/** What a worker does when the owner asks it to. */
export interface WorkerDuties {
  readonly report: () => WorkerReport;
  /** Ends everything that is open; what it resolves to is told to the owner. */
  readonly drain: () => Promise<void>;
}

/** A question that the owner has not answered, or not to the end. */
interface Open {
  readonly packets: RemotePackets;
  readonly after: number;
  readonly answer: (answer: readonly EncodedCommit[] | Snapshot) => void;
  readonly fail: (error: Error) => void;
  arriving?: ArrivingState;
}

/** A worker's way to the process that owns the logs. */
export class OwnerLink {
  readonly #channel: WorkerChannel<ToOwner, ToWorker>;
  readonly #packets = new Map<string, RemotePackets>();
  readonly #open = new Map<number, Open>();
  #duties: WorkerDuties | undefined;
  #isReportAsked = false;
  #isDrainAsked = false;
  #isClosed = false;
  #lastId = 0;
  /** The echo that is awaited, and the one that is asked for after it. */
  #echo: Promise<void> = Promise.resolve();
  #nextEcho: Promise<void> | undefined;
  #echoed: () => void = () => undefined;
  #begin: (task: WorkerTask) => void = () => undefined;

  /**
   * What there is to do; the packets take commits from the tick on in which the owner tells it.
   *
   * Rejects with {@link StreamError} `ERR_OWNER_LOST` when the owner goes before it has told anything.
   */
  readonly task: Promise<WorkerTask>;

  constructor(channel: WorkerChannel<ToOwner, ToWorker>) {
    this.#channel = channel;
    this.task = new Promise((resolve, reject) => {
      this.#begin = resolve;
      channel.onClose(() => {
        reject(errors.ERR_OWNER_LOST({ retryAfterSeconds: 1 }));
        this.#lose();
      });
    });
    // Told by the questions too.
    this.task.catch(() => undefined);
    channel.onMessage((message) => this.#take(message));
  }

  /** Does from now on what the owner asks, and what it has asked for already. */
  serve(duties: WorkerDuties): void {
    this.#duties = duties;
    if (this.#isReportAsked) this.#report(duties);
    if (this.#isDrainAsked) this.#drain(duties);
  }

  /** Resolves once all has come that the owner had told when it was asked, or it is gone. */
  caughtUp(): Promise<void> {
    // One that is under way may have been sent before what the caller knows of was committed.
    this.#nextEcho ??= this.#echo.then(() => {
      this.#nextEcho = undefined;
      this.#echo = this.#askEcho();
      return this.#echo;
    });
    return this.#nextEcho;
  }

  /** @throws {@link StreamError} `ERR_OWNER_LOST`, `ERR_OWNER_FAILED`, and those of `CommitSource.read` */
  read(stream: string, after: number): Promise<readonly EncodedCommit[]> {
    return this.#ask({ kind: 'read', stream, after }) as Promise<readonly EncodedCommit[]>;
  }

  /** @throws {@link StreamError} `ERR_OWNER_LOST`, `ERR_OWNER_FAILED`, and those of `CommitSource.state` */
  state(stream: string, after: number): Promise<Snapshot> {
    return this.#ask({ kind: 'state', stream, after }) as Promise<Snapshot>;
  }

  #askEcho(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#echoed = resolve;
      this.#send({ kind: 'echo' });
    });
  }

  #ask(question: WorkerQuestion): Promise<readonly EncodedCommit[] | Snapshot> {
    if (this.#isClosed) return Promise.reject(errors.ERR_OWNER_LOST({ retryAfterSeconds: 1 }));
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((answer, fail) => {
      const packets = this.#packets.get(question.stream) as RemotePackets;
      this.#open.set(id, { packets, after: question.after, answer, fail });
      void this.#channel.send({ kind: 'ask', id, question });
    });
  }

  #take(message: ToWorker): void {
    switch (message.kind) {
      case 'hello':
        this.#start(message.hello);
        break;
      case 'commit':
        this.#packets.get(message.stream)?.take(unpack(message.packet), message.heldFrom);
        break;
      case 'report':
        // Before there is anything to report the owner does without.
        this.#isReportAsked = true;
        if (this.#duties) this.#report(this.#duties);
        break;
      case 'echo':
        this.#echoed();
        break;
      case 'drain':
        this.#isDrainAsked = true;
        if (this.#duties) this.#drain(this.#duties);
        break;
      default:
        this.#takeAnswer(message);
    }
  }

  #takeAnswer(message: Extract<ToWorker, { id: number }> & { kind: 'packets' | 'state' | 'part' | 'refused' }): void {
    const { id } = message;
    const open = this.#open.get(id);
    if (!open) return;
    switch (message.kind) {
      case 'packets':
        open.packets.heldFrom = message.heldFrom;
        open.answer(message.packets.map(unpack));
        this.#open.delete(id);
        break;
      case 'state':
        open.arriving = new ArrivingState({ after: open.after, to: message.to, length: message.length });
        open.answer(open.arriving);
        if (message.length === 0) this.#open.delete(id);
        break;
      case 'part':
        open.arriving?.take(message.index, unpack(message.packet));
        if (message.index + 1 === open.arriving?.length) this.#open.delete(id);
        break;
      case 'refused':
        open.packets.heldFrom = message.heldFrom;
        this.#open.delete(id);
        failOpen(open, toldError(message.error));
        break;
    }
  }

  #start(hello: WorkerHello): void {
    for (const stream of hello.streams) {
      this.#packets.set(stream.description.name, new RemotePackets(this, stream, hello.settings.limitFrameBytes));
    }
    this.#begin({ hello, packets: this.#packets });
  }

  #report({ report }: WorkerDuties): void {
    this.#isReportAsked = false;
    this.#send({ kind: 'report', report: report() });
  }

  #drain({ drain }: WorkerDuties): void {
    // What goes wrong in it does not keep the others waiting.
    void drain()
      .catch(() => undefined)
      .then(() => this.#send({ kind: 'drained' }));
  }

  #send(message: ToOwner): void {
    void this.#channel.send(message);
  }

  #lose(): void {
    this.#isClosed = true;
    this.#echoed();
    for (const open of this.#open.values()) failOpen(open, errors.ERR_OWNER_LOST({ retryAfterSeconds: 1 }));
    this.#open.clear();
  }
}

function failOpen({ fail, arriving }: Open, error: Error): void {
  fail(error);
  arriving?.fail(error);
}
