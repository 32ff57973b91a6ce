import { numberText, rowNameText } from '../report/number-text.ts';
import type { Cell, Section } from '../report/report.ts';
import { type Spread, spread } from '../spread.ts';
import { extrapolate, MESSAGES_OF_ROUND_TRIP, type MeasuredCosts, type Needs } from './extrapolation.ts';
import type { ClientsRun } from './measure-clients.ts';
import { PUBLISHED, PUBLISHED_MESSAGES_PER_CORE, TARGET } from './published.ts';
import { NO_COMMON_RATE, nameOf, rateText } from './rates-section.ts';
import { WORDS } from './round.ts';
import { FULL_SHARE } from './search-end.ts';
import type { ClientsSummary } from './summarize-rounds.ts';

/** What the summaries of both kinds come to, and the runs that they are of. */
export interface Measured {
  readonly runs: readonly ClientsRun[];
  readonly updates: readonly ClientsSummary[];
  readonly requests: readonly ClientsSummary[];
}

/** Messages a second of one core, memory of a client, and what a million clients would take of both. */
export function paperSections(measured: Measured): Section[] {
  const inMemory = measured.requests.filter(({ isDurable }) => !isDurable);
  const most = inMemory.reduce<ClientsSummary | undefined>(
    (one, other) => (other.clients > (one?.clients ?? 0) ? other : one),
    undefined,
  );
  return [costsSection(measured), ...(most ? [millionSection(most, costsOf(measured, most))] : [])];
}

function costsSection({ runs, updates, requests }: Measured): Section {
  return {
    title: 'Messages of a core, and memory of a client',
    text: [
      `An update is one message, out to its client: the server publishes it itself. A round trip is ${MESSAGES_OF_ROUND_TRIP}: the request in by POST and out to its provider, the reply in by POST and out to its user, as was published. CPU time of the server holds all it does for them: each POST is an HTTP request of its own with a token, which is parsed, committed and answered, and answers to POSTs are counted as part of it, not as messages.`,
      `The published server did some ${PUBLISHED_MESSAGES_PER_CORE.toLocaleString('en-GB', { maximumSignificantDigits: 2 })} messages a second for each core in use, by frames on WebSocket connections that stay open, with nothing stored. Its 30 GB of heap are some ${Math.round((PUBLISHED.heapGigabytes * 1e6) / PUBLISHED.clients)} kB a client.`,
      'Memory of a client is what the resident memory of the server grew by while all connected, before anything was sent, divided by them, and is not told where it did not grow in every repeat; memory without clients is what was resident before the first of them. The buffers of the kernel are not in it, nor is what the log keeps of messages.',
      `A search was ended by the least rate that was not kept: by the server where it took more than ${FULL_SHARE * 100} % of its core, by answers that came late, or not once each, where it took less, and by the load where that was saturated. Where it was the plan, no larger rate was to be tried. Rates are not steady where some repeat kept a higher one than another did not keep.`,
      ...notToldText([...updates, ...requests]),
    ],
    tables: [
      {
        caption:
          'Largest rate kept, on one core where it is not said otherwise, and what messages cost at the largest rate that every repeat kept',
        columns: [
          'Set-up',
          'Messages/s kept',
          'Ended by',
          'CPU of a message, µs',
          'Messages/s of a core in use',
          'Memory of a client, kB',
          'Memory without clients, MB',
        ],
        rows: [...publishedRows(), ...[...updates, ...requests].map((summary) => costsRow(runs, summary))],
      },
    ],
  };
}

/** What has no cost in the table, where that is so. */
function notToldText(summaries: readonly ClientsSummary[]): readonly string[] {
  const names = summaries.filter(({ steady }) => !steady).map(searchName);
  if (names.length === 0) return [];
  return [`What a message costs is not told where ${NO_COMMON_RATE}: ${names.join('; ')}.`];
}

/** How what was looked for is named. */
function searchName(summary: ClientsSummary): string {
  return `${nameOf(summary)}, ${WORDS[summary.kind].many}`;
}

function publishedRows(): Cell[][] {
  const { messagesPerSecond, cores, cpuShare, heapGigabytes, clients } = PUBLISHED;
  const memory = (heapGigabytes * 1e6) / clients;
  const cost = [1e6 / PUBLISHED_MESSAGES_PER_CORE, PUBLISHED_MESSAGES_PER_CORE, memory];
  return [
    [`Published: ${cores} cores at ${cpuShare * 100} %`, messagesPerSecond, undefined, ...cost],
    [`Published: for each of the ${cores} cores`, messagesPerSecond / cores],
  ];
}

function costsRow(runs: readonly ClientsRun[], summary: ClientsSummary): Cell[] {
  const { kind, steady, endedBy } = summary;
  const messages = kind === 'updates' ? 1 : MESSAGES_OF_ROUND_TRIP;
  const cpuMicros = steady?.cpuMicros && scaled(steady.cpuMicros, 1 / messages);
  return [
    searchName(summary),
    keptCell(summary, messages),
    endedBy.join(', '),
    cpuMicros,
    cpuMicros && perSecond(cpuMicros),
    memoryOf(runs, summary),
    baseOf(runs, summary),
  ];
}

/** The largest rate of the repeats; without a median, which is no limit, where they do not agree on one. */
function keptCell({ largest, unsteady }: ClientsSummary, messages: number): Cell {
  if (!largest || !unsteady) return largest && scaled(largest, messages);
  return `${rateText(largest.min * messages)} to ${rateText(largest.max * messages)}, not steady`;
}

function scaled({ median, min, max, repeats }: Spread, factor: number): Spread {
  return { median: median * factor, min: min * factor, max: max * factor, repeats };
}

/** How many take a second in all, of what takes so many microseconds each. */
function perSecond({ median, min, max, repeats }: Spread): Spread {
  return { median: 1e6 / median, min: 1e6 / max, max: 1e6 / min, repeats };
}

/** Nothing where a repeat did not grow: what clients take is then less than the noise of a process. */
function memoryOf(runs: readonly ClientsRun[], summary: ClientsSummary): Spread | undefined {
  const bytes = runsOf(runs, summary).flatMap(({ clientBytes }) => clientBytes ?? []);
  return bytes.length === 0 || bytes.some((one) => one <= 0) ? undefined : scaled(spread(bytes), 1e-3);
}

function baseOf(runs: readonly ClientsRun[], summary: ClientsSummary): Spread | undefined {
  const bytes = runsOf(runs, summary).flatMap(({ baseBytes }) => baseBytes ?? []);
  return bytes.length === 0 ? undefined : scaled(spread(bytes), 1e-6);
}

function runsOf(runs: readonly ClientsRun[], { clients, isDurable }: ClientsSummary): readonly ClientsRun[] {
  return runs.filter((run) => run.clients === clients && run.isDurable === isDurable);
}

/** What messages and clients cost with the most clients; why that is not known, in words, where it is not. */
function costsOf({ runs, updates }: Measured, most: ClientsSummary): MeasuredCosts | string {
  const update = updates.find(({ clients }) => clients === most.clients);
  if (!update) return 'updates were not measured';
  const lacking = [update, most].filter(({ steady }) => !steady).map(searchName);
  if (lacking.length > 0) return `${NO_COMMON_RATE} (${lacking.join('; ')})`;
  const [updateCpu, roundTripCpu] = [update.steady?.cpuMicros, most.steady?.cpuMicros];
  const [memory, base] = [memoryOf(runs, most), baseOf(runs, most)];
  if (!updateCpu || !roundTripCpu || !memory || !base) return 'the memory of a client is not known';
  const rounds = runsOf(runs, most).flatMap((run) =>
    run.rounds.filter(({ kind, place }) => kind === 'requests' && place === most.steady?.place),
  );
  return {
    roundTripCpuMicros: roundTripCpu.median,
    updateCpuMicros: updateCpu.median,
    baseBytes: base.median * 1e6,
    clientBytes: memory.median * 1000,
    eventBytes: spread(rounds.map(({ readBytes, arrived }) => readBytes / arrived)).median,
  };
}

function millionSection(most: ClientsSummary, costs: MeasuredCosts | string): Section {
  const title = 'A million clients, on paper';
  if (typeof costs === 'string') return { title, text: [`Not told: ${costs}.`] };
  const needs = extrapolate(costs, TARGET);
  const { cpuShare, machineBytes, heartbeatSeconds } = TARGET;
  const share = Math.round(cpuShare * 100);
  return {
    title,
    text: [
      `From what was measured with ${nameOf(most)}: ${numberText(Math.round(costs.roundTripCpuMicros))} µs of CPU time for a round trip, ${numberText(costs.clientBytes / 1000)} kB for a client, ${numberText(costs.baseBytes / 1e6)} MB for a process without clients. The same million clients and ${rowNameText(TARGET.requestsPerSecond)} requests a second would take ${rowNameText(needs.processes)} cores at ${share} %, with a process each: ${machinesText(needs)} This was not measured.`,
      `It supposes that a message costs the same however many clients and processes there are (the ratios say how flat it was here); that there is a process for each core, so that memory is that of ${rowNameText(needs.processes)} processes without clients, and that of all clients; that processes share nothing: users are divided among them, each with streams and a log of its own, a provider following those of all, and something before them sends each user to its process; that requests come from users at random; that a client who hears nothing for ${heartbeatSeconds} s is sent a comment, which costs no more than an update (${rowNameText(Math.round(needs.heartbeatsPerSecond))} a second here); that cores of such a machine are as fast as the one that was measured; that of the memory of a machine ${machineBytes / 1e9} GB may go to processes and their clients; and that logs stay in memory, and what they keep of messages is removed in time. The work of the kernel on other cores, encryption, and the network beyond the loopback interface are not in it.`,
    ],
    tables: [
      { caption: '240,000 requests a second of a million clients', columns: PAPER_COLUMNS, rows: paperRows(needs) },
    ],
  };
}

function machinesText({ machines, byCores, byMemory }: Needs): string {
  const sums = `${rowNameText(byCores)} by the cores, ${rowNameText(byMemory)} by the memory`;
  return `${rowNameText(machines)} machines of ${TARGET.machineCores} cores (${sums}).`;
}

const PAPER_COLUMNS = ['', 'Messages/s', 'Cores', 'Share of them', 'Memory, GB', 'Machines', 'Sent, Gbit/s'];

function paperRows({ messagesPerSecond, processes, memoryBytes, machines, bitsPerSecond }: Needs): Cell[][] {
  const p = PUBLISHED;
  return [
    ['Published, measured', p.messagesPerSecond, p.cores, p.cpuShare, p.heapGigabytes, 1, p.gigabitsPerSecond],
    [
      'This server, on paper',
      messagesPerSecond,
      processes,
      TARGET.cpuShare,
      memoryBytes / 1e9,
      machines,
      bitsPerSecond / 1e9,
    ],
  ];
}
