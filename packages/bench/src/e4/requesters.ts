import { setTimeout as delay } from 'node:timers/promises';
import { LoadState } from '../load/load-state.ts';
import { LoopLag } from '../load/loop-lag.ts';
import { monotonicMicros } from '../load/monotonic-micros.ts';
import { openAll } from '../load/open-all.ts';
import { type PublishSchedule, publishOnSchedule } from '../load/publish-on-schedule.ts';
import { PushReader } from '../load/push-reader.ts';
import { seededRandom } from '../seeded-random.ts';
import { countDeliveries } from './count-deliveries.ts';
import { followRequests } from './follow-requests.ts';
import { REPLIES, REQUESTS, replyText, requestText, userIri } from './messages.ts';
import { PostConnections } from './post-connections.ts';
import type { RequesterReport, RequestersPlan, RoundKind } from './requester-messages.ts';

const LOOK_MS = 20;

/** Users who each follow their own subject, and providers who answer what users ask. */
export class Requesters {
  readonly #plan: RequestersPlan;
  readonly #random: () => number;
  readonly #state = new LoadState();
  readonly #users: readonly PushReader[];
  readonly #requests: PostConnections;
  readonly #replies: PostConnections;
  readonly #lag = new LoopLag();
  readonly #endings: (() => void)[] = [];
  #received = 0;
  #receivedBytes = 0;

  private constructor(plan: RequestersPlan) {
    this.#plan = plan;
    this.#random = seededRandom(plan.seed);
    // The number is the end of the IRI; each reader puts its own.
    const entity = encodeURIComponent(userIri(0).slice(0, -6));
    const readers = {
      ...plan,
      path: `${plan.path}?entity=${entity}{reader}`,
      readers: plan.users,
      firstReader: 0,
      headers: { 'accept-encoding': 'identity' },
      comesBack: false,
    };
    this.#users = Array.from({ length: plan.users }, (_, user) => new PushReader(user, readers, this.#state));
    const { port, localAddress, postConnections: connections } = plan;
    this.#requests = new PostConnections({ port, localAddress, connections, stream: REQUESTS });
    this.#replies = new PostConnections({ port, localAddress, connections, stream: REPLIES });
  }

  /**
   * Connects all users and providers.
   *
   * @throws Error - one of them was refused
   */
  static async open(plan: RequestersPlan): Promise<Requesters> {
    const requesters = new Requesters(plan);
    await requesters.#open();
    return requesters;
  }

  /** Follows what is scheduled, or asks by that schedule, until all has come or nothing does any more. */
  async round(kind: RoundKind, schedule: PublishSchedule): Promise<RequesterReport> {
    this.#take();
    const before = { cpu: process.cpuUsage(), micros: monotonicMicros(), ...this.#state.tally };
    this.#lag.take();
    if (kind === 'requests') await publishOnSchedule(schedule, (stampMicros) => this.#ask(stampMicros));
    await this.#drain(schedule);
    const endedMicros = monotonicMicros();
    const { user, system } = process.cpuUsage(before.cpu);
    const { arrivals, latency, tally, received, receivedBytes, posts } = this.#take();
    return {
      ...countDeliveries(arrivals, schedule),
      latency,
      received,
      posts,
      readBytes: tally.bytes - before.bytes + receivedBytes,
      endedMicros,
      cpuMicros: user + system,
      wallMicros: endedMicros - before.micros,
      longestLoopLagMicros: this.#lag.take(),
    };
  }

  stop(): void {
    for (const end of this.#endings) end();
    for (const user of this.#users) user.stop();
    this.#requests.stop();
    this.#replies.stop();
  }

  async #open(): Promise<void> {
    const { users, providers, opening, port } = this.#plan;
    this.#endings.push(this.#lag.start());
    for (let provider = 0; provider < providers; provider += 1) {
      this.#endings.push(
        await followRequests({ port, provider }, ({ user, stampMicros, bytes }) => {
          this.#received += 1;
          this.#receivedBytes += bytes;
          this.#replies.post(replyText(user, stampMicros));
        }),
      );
    }
    await openAll(this.#users, opening);
    const { open, refused } = this.#state.tally;
    if (open < users) throw new Error(`${open} of ${users} connections are open, ${refused} were refused`);
  }

  #ask(stampMicros: number): undefined {
    const { users, providers } = this.#plan;
    this.#requests.post(requestText(Math.floor(this.#random() * users), providers, stampMicros));
  }

  async #drain({ startMicros, intervalMicros, count }: PublishSchedule): Promise<void> {
    const endMicros = startMicros + count * intervalMicros;
    let seen = -1;
    for (let quietMs = 0; quietMs < this.#plan.quietMs; quietMs += LOOK_MS) {
      const { events } = this.#state.tally;
      // What came twice does not stand for what has not come.
      if (this.#state.updates >= count) return;
      if (events > seen || monotonicMicros() < endMicros) quietMs = 0;
      seen = events;
      await delay(LOOK_MS);
    }
    // What is still to be posted would come in the next round.
    this.#requests.giveUp();
    this.#replies.giveUp();
  }

  #take() {
    const taken = {
      ...this.#state.take(),
      received: this.#received,
      receivedBytes: this.#receivedBytes,
      posts: { requests: this.#requests.take(), replies: this.#replies.take() },
    };
    this.#received = 0;
    this.#receivedBytes = 0;
    return taken;
  }
}
