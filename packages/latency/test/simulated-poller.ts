import { planPoll } from '../src/index.ts';
import type { SimulatedDocument, Turn } from './simulated-origin.ts';

/** A client that asks when `planPoll` says. */
export interface PollerOptions {
  readonly turns: readonly Turn[];
  readonly ask: (nowMs: number) => SimulatedDocument;
  readonly unit: () => number;
  readonly malMs: number;
  /** The longest read, milliseconds; reads take between none and this. */
  readonly readMs: number;
  readonly hiddenAgeMs: number;
  readonly intervalMs?: number;
  readonly phase: number;
}

/** An update as a client read it. */
interface ReadUpdate {
  readonly lagMs: number;
  /** The bound that was stated for it. */
  readonly lagBoundMs: number;
}

/** What a client has read and done. */
export interface PollerReport {
  readonly read: readonly ReadUpdate[];
  readonly requests: readonly { readonly atMs: number; readonly notBeforeMs: number }[];
}

/** Follows a simulated stream to its last update. */
export function pollToEnd({ turns, ask, unit, ...rules }: PollerOptions): PollerReport {
  const published = turns.filter((turn) => turn.brings).map((turn) => turn.overMs);
  const read: ReadUpdate[] = [];
  const requests: { atMs: number; notBeforeMs: number }[] = [];
  let sentMs = 0;
  let document = ask(sentMs);
  while (read.length < published.length) {
    const { nextUpdateMs } = document;
    const plan = planPoll({ ...rules, readAtMs: sentMs, ...(nextUpdateMs === undefined ? {} : { nextUpdateMs }) });
    requests.push({ atMs: plan.atMs, notBeforeMs: nextUpdateMs ?? sentMs });
    // A late timer and a slow way there are part of the read that was kept back for.
    const readByMs = plan.atMs + rules.readMs * unit();
    sentMs = plan.atMs + (readByMs - plan.atMs) * unit();
    document = ask(sentMs + (readByMs - sentMs) * unit());
    for (const publishedMs of published.slice(read.length, document.updates)) {
      read.push({ lagMs: readByMs - publishedMs, lagBoundMs: plan.lagBoundMs });
    }
  }
  return { read, requests };
}
