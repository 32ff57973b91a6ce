import type { Report } from '../report/report.ts';
import type { BrowserPlan, E3Plan, FixedPlan, MostPlan } from './e3-plan.ts';
import { TRANSPORT_NAMES, type Transport } from './transport.ts';

type Workload = Report['workload'];

/**
 * The sizes that a report tells.
 *
 * @param names - of the measurements that were run
 */
export function e3Workload(plan: E3Plan, names: readonly (keyof E3Plan)[]): Workload {
  const all: Readonly<Record<keyof E3Plan, Workload>> = {
    batch: mostWorkload('test I', plan.batch),
    connections: mostWorkload('test II', plan.connections),
    fixed: fixedWorkload('test III', plan.fixed),
    browser: browserWorkload('browser', plan.browser),
  };
  return Object.assign({}, ...names.map((name) => all[name]));
}

function mostWorkload(test: string, plan: MostPlan): Workload {
  const { grows, levels, fixed, transports, intervalMs, clientIntervalMs, stepMs } = plan;
  const tried = `${levels[0]} to ${levels.at(-1)}, at ${levels.length} levels`;
  return {
    [`${test}: rows of a batch`]: grows === 'batch' ? tried : fixed,
    [`${test}: connections`]: grows === 'batch' ? fixed : tried,
    [`${test}: transports`]: namesOf(transports),
    [`${test}: milliseconds from a batch to the next`]: intervalMs,
    ...(transports.includes('live-client') && {
      [`${test}: milliseconds from a batch to the next, ${TRANSPORT_NAMES['live-client']}`]: clientIntervalMs,
    }),
    [`${test}: seconds of a level`]: stepMs / 1000,
  };
}

function fixedWorkload(test: string, { shapes, intervalMs, warmUpMs, durationMs, transports }: FixedPlan): Workload {
  return {
    [`${test}: connections and rows of a batch`]: shapes
      .map(({ connections, batch }) => `${connections} and ${batch}`)
      .join(', '),
    [`${test}: transports`]: namesOf(transports),
    [`${test}: milliseconds from a batch to the next`]: intervalMs,
    [`${test}: seconds before what counts`]: warmUpMs / 1000,
    [`${test}: seconds`]: durationMs / 1000,
  };
}

function browserWorkload(test: string, plan: BrowserPlan): Workload {
  const { pages, batches, intervalMs, warmUpMs, durationMs, transports } = plan;
  return {
    [`${test}: pages`]: pages.join(', '),
    [`${test}: rows of a batch`]: batches,
    [`${test}: transports`]: namesOf(transports),
    [`${test}: milliseconds from a batch to the next`]: intervalMs,
    [`${test}: seconds of a page before what counts`]: warmUpMs / 1000,
    [`${test}: seconds of a page`]: durationMs / 1000,
  };
}

function namesOf(transports: readonly Transport[]): string {
  return transports.map((transport) => TRANSPORT_NAMES[transport]).join(', ');
}
