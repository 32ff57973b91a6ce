/* Gives an input to a session, and says what was wrong.
 *
 *   session.run(input) -> outcome, or a finding:
 *     thrown    it threw, or said that it saw what must not be
 *     uncaught  an exception or rejection that nobody caught
 *     slow      one turn of the event loop took longer than 200 ms, three times
 *     endless   nothing came within 20 s */
import { Session as Inspector } from 'node:inspector/promises';
import process from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';
import type { Outcome, Session, Target } from './target.ts';

/** What was wrong. */
export interface Fault {
  readonly kind: 'thrown' | 'uncaught' | 'slow' | 'endless' | 'damage' | 'memory' | 'hang' | 'crash';
  /** Equal for findings that probably have one cause. */
  readonly key: string;
  readonly details: string;
}

/** What became of an input. */
export interface Verdict {
  readonly outcome?: Outcome;
  readonly fault?: Fault;
  /** Of its longest turn. */
  readonly turnMs: number;
}

const LIMIT_TURN_MS = 200;
const LIMIT_RUN_MS = 20_000;
const CONFIRMATIONS = 3;

const uncaught: unknown[] = [];

/** Keeps what nobody caught, for the verdict of the input that is being judged. */
export function watchUncaught(): void {
  for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, (error) => uncaught.push(error));
}

/** Gives an input to a session. */
export async function judge(session: Session, input: Uint8Array, limitMs = LIMIT_TURN_MS): Promise<Verdict> {
  const verdict = await judgeOnce(session, input);
  if (verdict.fault || verdict.turnMs <= limitMs) return verdict;
  // The collector may have had its turn, and other programs the processor.
  let turnMs = verdict.turnMs;
  const profile = new Profile();
  await profile.begin();
  for (let time = 0; time < CONFIRMATIONS && turnMs > limitMs; time += 1) {
    turnMs = Math.min(turnMs, (await judgeOnce(session, input)).turnMs);
  }
  const place = await profile.end();
  if (turnMs <= limitMs) return { ...verdict, turnMs };
  const details = `A turn took ${Math.round(turnMs)} ms for ${input.length} bytes, most of it in ${place}.`;
  return { ...verdict, turnMs, fault: { kind: 'slow', key: `slow ${place}`, details } };
}

async function judgeOnce(session: Session, input: Uint8Array): Promise<Verdict> {
  uncaught.length = 0;
  const turns = new Turns();
  let outcome: Outcome | undefined;
  let fault: Fault | undefined;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Fault>((resolve) => {
    const details = `Nothing came of it within ${LIMIT_RUN_MS} ms.`;
    timer = setTimeout(() => resolve({ kind: 'endless', key: 'endless', details }), LIMIT_RUN_MS);
  });
  try {
    const said = await Promise.race([session.run(input), late]);
    if ('key' in said) fault = said;
    else outcome = said;
  } catch (error) {
    fault = faultOf('thrown', error);
  }
  clearTimeout(timer);
  // Rejections that nobody caught are known after a turn.
  await turn();
  const turnMs = turns.end();
  if (uncaught.length > 0) fault = faultOf('uncaught', uncaught[0]);
  return { ...(outcome && { outcome }), ...(fault && { fault }), turnMs };
}

/** A fault by what was thrown. */
export function faultOf(kind: Fault['kind'], thrown: unknown): Fault {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const details = `${error.stack ?? error.message}${error.cause instanceof Error ? `\nCaused by ${error.cause.stack}` : ''}`;
  const frame = /\/(packages\/[^)\s]+\.ts)/.exec(details)?.[1] ?? '';
  const message = error.message.replace(/["'<`].*|\d+/gs, '').slice(0, 120);
  return { kind, key: `${kind} ${error.name} ${message} ${frame}`, details: details.slice(0, 4000) };
}

/**
 * The longest turn of the event loop from its making until its end. Of the time on the clock and that of the processor the
 * shorter counts: other programs lengthen the one, and helpers of this process the other.
 */
class Turns {
  #atMs = performance.now();
  #cpuMs = cpuMs();
  #longestMs = 0;
  #next: NodeJS.Immediate | undefined;

  constructor() {
    this.#watch();
  }

  end(): number {
    clearImmediate(this.#next);
    this.#look();
    return this.#longestMs;
  }

  #watch(): void {
    this.#next = setImmediate(() => {
      this.#look();
      this.#watch();
    });
  }

  #look(): void {
    const atMs = performance.now();
    const wallMs = atMs - this.#atMs;
    this.#atMs = atMs;
    // The clock of the processor takes long to read. What short turns took before is counted to a long one.
    if (wallMs <= this.#longestMs || wallMs < SHORT_TURN_MS) return;
    const cpu = cpuMs();
    this.#longestMs = Math.max(this.#longestMs, Math.min(wallMs, cpu - this.#cpuMs));
    this.#cpuMs = cpu;
  }
}

/** Turns shorter than this are all alike, milliseconds. */
const SHORT_TURN_MS = 10;

/** What this process has taken of processors, milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Where the time goes. */
class Profile {
  readonly #inspector = new Inspector();

  async begin(): Promise<void> {
    this.#inspector.connect();
    await this.#inspector.post('Profiler.enable');
    await this.#inspector.post('Profiler.start');
  }

  /** The function that most of the time was spent in, and where it is. */
  async end(): Promise<string> {
    const { profile } = await this.#inspector.post('Profiler.stop');
    this.#inspector.disconnect();
    const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
    const spent = new Map<string, number>();
    for (const [index, id] of (profile.samples ?? []).entries()) {
      const { functionName = '', url = '' } = names.get(id) ?? {};
      if (/^\((program|idle|garbage)/.test(functionName)) continue;
      const place = `${functionName || 'a function'} (${url.replace(/^.*\/(?=packages|node_modules)/, '') || 'native'})`;
      spent.set(place, (spent.get(place) ?? 0) + (profile.timeDeltas?.[index] ?? 0));
    }
    return [...spent].sort(([, one], [, other]) => other - one)[0]?.[0] ?? 'an unknown function';
  }
}

/** Opens a session, gives it inputs, and looks what it is like afterwards: a verdict of each, and one of what is damaged. */
export async function judgeAlone(target: Target, ...inputs: readonly Uint8Array[]): Promise<Verdict[]> {
  const session = await target.open();
  const verdicts: Verdict[] = [];
  try {
    for (const input of inputs) verdicts.push(await judge(session, input, target.limitTurnMs));
    await session.check();
    await session.close();
  } catch (error) {
    verdicts.push({ fault: faultOf('damage', error), turnMs: 0 });
  }
  return verdicts;
}

/** The first fault of verdicts. */
export function firstFault(verdicts: readonly Verdict[]): Fault | undefined {
  return verdicts.find(({ fault }) => fault)?.fault;
}
