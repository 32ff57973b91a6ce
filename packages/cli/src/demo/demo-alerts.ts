import type { TransitNetwork } from './transit-network.ts';

/** A notice to passengers. */
export interface DemoAlert {
  readonly id: string;
  /** Lines concerned. */
  readonly lines: readonly string[];
  /** Stops concerned. */
  readonly stops: readonly string[];
  readonly cause: 'construction' | 'technical-problem';
  readonly effect: 'stop-moved' | 'significant-delays';
  /** By language tag. */
  readonly header: Readonly<Record<'en' | 'nl', string>>;
  readonly description: Readonly<Record<'en' | 'nl', string>>;
  /** When it began, in epoch seconds; absent when it has been there for ever. */
  readonly startSeconds?: number;
}

/** How long the alert that comes and goes is there, in seconds. */
const ALERT_ON_SECONDS = 90;
/** How long it is gone, in seconds. */
const ALERT_OFF_SECONDS = 60;

/**
 * The alerts at a moment: one that stays, and one that comes and goes, each time for the next line.
 *
 * @param timeSeconds - epoch seconds
 */
export function demoAlerts(network: TransitNetwork, timeSeconds: number): DemoAlert[] {
  const period = ALERT_ON_SECONDS + ALERT_OFF_SECONDS;
  const occurrence = Math.floor(timeSeconds / period);
  const startSeconds = occurrence * period;
  const line = network.lines[occurrence % network.lines.length];
  const stop = network.lines[0]?.routes[0].stops[1];
  if (!line || !stop) return [];
  const staying: DemoAlert = {
    id: 'works',
    lines: [],
    stops: [stop.id],
    cause: 'construction',
    effect: 'stop-moved',
    header: { en: `${stop.name}: stop moved`, nl: `${stop.name}: halte verplaatst` },
    description: {
      en: 'Board 80 m further on while the tracks are renewed.',
      nl: 'Stap 80 m verderop in zolang de sporen vernieuwd worden.',
    },
  };
  if (timeSeconds - startSeconds >= ALERT_ON_SECONDS) return [staying];
  const passing: DemoAlert = {
    id: 'signal-fault',
    lines: [line.id],
    stops: [],
    cause: 'technical-problem',
    effect: 'significant-delays',
    header: { en: `${line.name}: signal fault`, nl: `${line.name}: seinstoring` },
    description: { en: 'Expect delays of a few minutes.', nl: 'Reken op enkele minuten vertraging.' },
    startSeconds,
  };
  return [staying, passing];
}
