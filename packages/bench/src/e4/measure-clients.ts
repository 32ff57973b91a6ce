import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LOAD, SERVER_CORE, type Setting } from '../setting.ts';
import { type NodeSubject, startNodeSubject } from '../subjects/subject.ts';
import { type E4Plan, warmUpSeconds } from './e4-plan.ts';
import { type GrowthPlan, type GrowthStep, nextPlace, rateAt } from './growth.ts';
import { measureRound } from './measure-round.ts';
import { RequesterGroup } from './requester-group.ts';
import type { RoundKind } from './requester-messages.ts';
import { judgeRound, type Round } from './round.ts';

/** What is measured with one server and so many clients. */
export interface ClientsPlan {
  readonly clients: number;
  /** From 0. */
  readonly repeat: number;
  readonly kinds: readonly RoundKind[];
  /** Whether logs are on disk, each commit synced. */
  readonly isDurable: boolean;
  readonly seed: number;
}

/** What was found of one server and so many clients. JSON. */
export interface ClientsRun extends Omit<ClientsPlan, 'kinds' | 'seed'> {
  /** Resident memory of the server before the first client, bytes; absent where the system does not tell. */
  readonly baseBytes?: number;
  /** Resident memory of the server that clients took, bytes each; absent where the system does not tell. */
  readonly clientBytes?: number;
  readonly rounds: readonly Round[];
}

/** How long nothing may come before it is taken for lost, milliseconds. */
const QUIET_MS = 5000;

/** Told of each round. */
type OnRound = (round: Round) => void;

/** Starts a server, connects all clients, and looks for the largest rate of each kind. */
export async function measureClients(
  { kinds, seed, ...what }: ClientsPlan,
  plan: E4Plan,
  setting: Pick<Setting, 'folder'>,
  onRound: OnRound,
): Promise<ClientsRun> {
  const { clients, isDurable } = what;
  const folder = isDurable ? { folder: await mkdtemp(join(setting.folder, 'log-')) } : {};
  const subject = await startNodeSubject('subjects', { subjects: { users: clients, seed, ...folder } }, SERVER_CORE);
  try {
    await delay(plan.settleMs);
    const before = subject.residentBytes();
    const { port, path } = subject;
    const { providers, postConnections } = plan;
    const users = {
      port,
      path,
      users: clients,
      providers,
      postConnections,
      seed,
      opening: LOAD.opening,
      quietMs: QUIET_MS,
    };
    const load = await RequesterGroup.start(users, LOAD.core);
    try {
      await delay(plan.settleMs);
      const after = subject.residentBytes();
      const rounds: Round[] = [];
      for (const kind of kinds) {
        const growth = isDurable ? plan.durable : plan[kind];
        rounds.push(...(await grow({ subject, load, clients, kind, growth, plan, onRound })));
      }
      const isKnown = before !== undefined && after !== undefined;
      return { ...what, rounds, ...(isKnown && { baseBytes: before, clientBytes: (after - before) / clients }) };
    } finally {
      await load.stop();
    }
  } finally {
    await subject.close();
  }
}

async function grow({
  subject,
  load,
  clients,
  kind,
  growth,
  plan,
  onRound,
}: {
  readonly subject: NodeSubject;
  readonly load: RequesterGroup;
  readonly clients: number;
  readonly kind: RoundKind;
  readonly growth: GrowthPlan;
  readonly plan: E4Plan;
  readonly onRound: OnRound;
}): Promise<Round[]> {
  const measure = (place: number, seconds: number) =>
    measureRound(subject, load, { kind, clients, place, perSecond: rateAt(growth, place), seconds });
  await measure(growth.stepsPerDoubling, warmUpSeconds(plan, growth));
  const rounds: Round[] = [];
  const steps: GrowthStep[] = [];
  for (let place = nextPlace(growth, steps); place !== undefined; place = nextPlace(growth, steps)) {
    const round = await measure(place, plan.seconds);
    rounds.push(round);
    steps.push({ place, isKept: judgeRound(round) === 'kept' });
    onRound(round);
  }
  return rounds;
}
