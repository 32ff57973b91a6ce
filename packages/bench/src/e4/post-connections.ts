import { connect, type Socket } from 'node:net';
import { AnswerReader } from '../load/answer-reader.ts';
import { TOKEN } from './messages.ts';

/** Where a stream takes posts, and by how many connections. */
export interface PostTarget {
  readonly port: number;
  /** Name of the stream. */
  readonly stream: string;
  readonly connections: number;
  /** From which address of the loopback network. */
  readonly localAddress: string;
}

/** What became of posts. */
export interface PostTally {
  /** Status codes that came, each with how often. */
  readonly statuses: Record<string, number>;
  /** Posts that no answer came to. */
  unanswered: number;
}

interface Line {
  readonly socket: Socket;
  isBusy: boolean;
}

/**
 * Kept-alive connections that posts are shared among, one at a time on each; those that find all busy wait in order. They
 * are opened when they are needed, since servers close those on which nothing comes.
 */
export class PostConnections {
  readonly #target: PostTarget;
  readonly #lines = new Set<Line>();
  readonly #idle: Line[] = [];
  // Taken from the front by number: an array that is shifted would be copied with each post.
  #waiting: string[] = [];
  #next = 0;
  #tally: PostTally = { statuses: {}, unanswered: 0 };

  constructor(target: PostTarget) {
    this.#target = target;
  }

  /** How many connections are open, or about to be. */
  get size(): number {
    return this.#lines.size;
  }

  /** Posts a body of N-Quads, now or as soon as a connection is free. */
  post(body: string): void {
    const line = this.#idle.pop();
    if (line) {
      this.#send(line, body);
      return;
    }
    this.#waiting.push(body);
    if (this.#lines.size < this.#target.connections) this.#connect();
  }

  /** What became of posts since the last time. */
  take(): PostTally {
    const taken = this.#tally;
    this.#tally = { statuses: {}, unanswered: 0 };
    return taken;
  }

  /** Forgets those that wait for a connection. @returns how many did */
  giveUp(): number {
    const given = this.#waiting.length - this.#next;
    this.#waiting = [];
    this.#next = 0;
    return given;
  }

  stop(): void {
    this.giveUp();
    for (const { socket } of this.#lines) socket.destroy();
  }

  #connect(): void {
    const { port, localAddress } = this.#target;
    const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
    const line = { socket, isBusy: false };
    this.#lines.add(line);
    const answers = new AnswerReader();
    socket.on('connect', () => this.#free(line));
    socket.on('data', (bytes) => {
      const answer = answers.feed(bytes, bytes.length);
      if (!answer) return;
      const { statuses } = this.#tally;
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      this.#free(line);
    });
    // What follows it is its close.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (line.isBusy) this.#tally.unanswered += 1;
      this.#lines.delete(line);
      const at = this.#idle.indexOf(line);
      if (at >= 0) this.#idle.splice(at, 1);
    });
  }

  #free(line: Line): void {
    line.isBusy = false;
    const body = this.#waiting[this.#next];
    if (body === undefined) {
      this.#idle.push(line);
      return;
    }
    this.#next += 1;
    if (this.#next === this.#waiting.length) this.giveUp();
    this.#send(line, body);
  }

  #send(line: Line, body: string): void {
    const { port, stream } = this.#target;
    line.isBusy = true;
    line.socket.write(
      `POST /${stream} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${TOKEN}\r\n` +
        `content-type: application/n-quads\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  }
}
