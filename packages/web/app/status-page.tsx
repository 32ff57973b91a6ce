/*
 * What an operator opens first: streams and their sources, who is connected, how late what is sent, and what it takes.
 * All of it is from `/health` and `/metrics`, asked every few seconds while the page is looked at.
 */
import type { SourceHealth } from '@ldes-live/rdf-stream';
import { useEffect, useState } from 'preact/hooks';
import { age, bytes, compactNumber, dateTime, duration, number } from './format.ts';
import { readMetrics, type Sample, total } from './metrics.ts';
import { baseUrl, streamHref } from './route.ts';
import { Sparkline } from './sparkline.tsx';
import { UseIt } from './use-it.tsx';

const ASK_MS = 3000;
const LIMIT_ANSWER_MS = 10_000;
const KEPT = 100;

interface Health {
  readonly status: string;
  /** Of one of several nodes. */
  readonly cluster?: {
    readonly node: string;
    readonly role: string;
    readonly writer?: string;
    readonly since?: string;
    readonly problems: readonly { readonly code: string; readonly message: string }[];
  };
  readonly streams: Readonly<
    Record<
      string,
      {
        readonly entities: number;
        readonly cursor: string;
        readonly pushConnections: number;
        readonly sources?: readonly SourceHealth[];
      }
    >
  >;
}

interface Look {
  readonly atMs: number;
  readonly health: Health;
  readonly metrics: readonly Sample[];
}

export function StatusPage() {
  const [looks, setLooks] = useState<readonly Look[]>([]);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const stop = new AbortController();
    const ask = async () => {
      const get = (path: string) =>
        fetch(baseUrl + path, {
          signal: AbortSignal.any([stop.signal, AbortSignal.timeout(LIMIT_ANSWER_MS)]),
          cache: 'no-store',
        });
      const [health, metrics] = await Promise.all([get('health'), get('metrics')]);
      const look = {
        atMs: Date.now(),
        health: (await health.json()) as Health,
        metrics: readMetrics(await metrics.text()),
      };
      setLooks((known) => [...known, look].slice(-KEPT));
      setProblem(undefined);
    };
    // The next time after the answer: a server that hangs is not asked more and more.
    let timer: ReturnType<typeof setTimeout> | undefined;
    const asking = async () => {
      if (!document.hidden) await ask().catch((error: Error) => stop.signal.aborted || setProblem(error.message));
      if (!stop.signal.aborted) timer = setTimeout(asking, ASK_MS);
    };
    void asking();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, []);
  const newest = looks.at(-1);
  return (
    <div class="status-page">
      <h1>Status</h1>
      {problem !== undefined && (
        <p class="notice bad" role="alert">
          The server does not answer: {problem}. {newest && `What is shown is as of ${dateTime(newest.atMs)}.`}
        </p>
      )}
      {newest ? (
        <Overview looks={looks} newest={newest} />
      ) : (
        problem === undefined && <p class="empty">The server is being asked…</p>
      )}
      {newest && <Streams {...newest} />}
      <UseIt
        recipes={[
          { name: 'curl', text: `curl ${baseUrl}health` },
          { name: 'Prometheus', text: `curl ${baseUrl}metrics` },
        ]}
      />
    </div>
  );
}

function Overview({ looks, newest }: { readonly looks: readonly Look[]; readonly newest: Look }) {
  const rate = (name: string) =>
    looks.slice(1).map(({ atMs, metrics }, index) => {
      const before = looks[index] as Look;
      return (
        Math.max(0, total(metrics, name) - total(before.metrics, name)) / Math.max((atMs - before.atMs) / 1000, 0.001)
      );
    });
  const level = (name: string) => looks.map(({ metrics }) => total(metrics, name));
  const connections = level('ldes_live_push_admitted_connections');
  const memory = level('process_resident_memory_bytes');
  const [cpu, commits, deliveries, requests] = [
    'process_cpu_seconds_total',
    'ldes_live_log_commits_total',
    'ldes_live_push_deliveries_total',
    'ldes_live_requests_total',
  ].map(rate);
  const fanOut = looks.slice(1).map(({ metrics }, index) => {
    const { metrics: before } = looks[index] as Look;
    const events =
      total(metrics, 'ldes_live_push_fan_out_seconds_count') - total(before, 'ldes_live_push_fan_out_seconds_count');
    const seconds =
      total(metrics, 'ldes_live_push_fan_out_seconds_sum') - total(before, 'ldes_live_push_fan_out_seconds_sum');
    return events > 0 ? (seconds / events) * 1000 : 0;
  });
  const { status, cluster } = newest.health;
  const isUp = status === 'ok';
  return (
    <>
      <p>
        <strong class={`badge ${isUp ? 'good' : 'bad'}`}>{status}</strong>, running since{' '}
        {dateTime(total(newest.metrics, 'process_start_time_seconds') * 1000)}
      </p>
      {cluster && <Node {...cluster} />}
      <ul class="tiles">
        <Tile name="Push connections" value={compactNumber(connections.at(-1) ?? 0)} values={connections} />
        <Tile
          name="Requests a second"
          value={number(Number((requests?.at(-1) ?? 0).toPrecision(2)))}
          values={requests ?? []}
        />
        <Tile
          name="Deliveries a second"
          value={compactNumber(Math.round(deliveries?.at(-1) ?? 0))}
          values={deliveries ?? []}
        />
        <Tile
          name="Commits a second"
          value={number(Number((commits?.at(-1) ?? 0).toPrecision(2)))}
          values={commits ?? []}
        />
        <Tile name="Time to reach all readers" value={fanOutText(fanOut.findLast((ms) => ms > 0))} values={fanOut} />
        <Tile name="Processor" value={`${Math.round((cpu?.at(-1) ?? 0) * 100)} % of a core`} values={cpu ?? []} />
        <Tile name="Memory" value={bytes(memory.at(-1) ?? 0)} values={memory} />
      </ul>
    </>
  );
}

/** This server among others that serve the same. */
function Node({ node, role, writer, since, problems }: NonNullable<Health['cluster']>) {
  const isCutOff = since !== undefined;
  return (
    <>
      <p class={isCutOff ? 'notice bad' : undefined} role={isCutOff ? 'alert' : undefined}>
        Node {node} of a cluster:{' '}
        {isCutOff
          ? `cut off from the cluster since ${dateTime(Date.parse(since))}; what it serves gets older.`
          : `${role}${writer === undefined ? '' : ` of ${writer}, which writes`}.`}
      </p>
      {problems.map(({ code, message }) => (
        <p class="notice bad" key={message}>
          {code}: {message}
        </p>
      ))}
    </>
  );
}

// None yet, or how long it took.
const fanOutText = (ms: number | undefined) => (ms === undefined ? 'no readers' : duration(ms));

function Tile({
  name,
  value,
  values,
}: {
  readonly name: string;
  readonly value: string;
  readonly values: readonly number[];
}) {
  return (
    <li class="tile">
      <p>{name}</p>
      <strong>{value}</strong>
      <Sparkline values={values} label={`${name} over the last minutes`} />
    </li>
  );
}

function Streams({ health, metrics }: Look) {
  return (
    <div class="answer-frame" tabIndex={0} role="region" aria-label="Streams">
      <table>
        <thead>
          <tr>
            {[
              'Stream',
              'Entities',
              'Last commit',
              'Connections',
              'Source',
              'State',
              'Last good poll',
              'Next poll',
              'Polls',
              'Errors',
            ].map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Object.entries(health.streams).flatMap(([name, { entities, pushConnections, sources = [] }]) => {
            const committed = total(metrics, 'ldes_live_log_last_commit_timestamp_seconds', { stream: name });
            const rows = sources.length > 0 ? sources : [undefined];
            return rows.map((source, index) => (
              <tr key={`${name} ${index}`}>
                <th scope="row">{index === 0 && <a href={streamHref(name)}>{name}</a>}</th>
                <td class="number">{index === 0 && compactNumber(entities)}</td>
                <td>{index === 0 && (committed > 0 ? age(Date.now() - committed * 1000) : 'none yet')}</td>
                <td class="number">{index === 0 && compactNumber(pushConnections)}</td>
                <Source source={source} />
              </tr>
            ));
          })}
        </tbody>
      </table>
    </div>
  );
}

function Source({ source }: { readonly source: SourceHealth | undefined }) {
  if (!source) return <td colSpan={6}>posts only</td>;
  const { origin, state, polls, lastGoodAt, nextPollAt, errors, lastError } = source;
  const bad = Object.values(errors).reduce((sum, count) => sum + count, 0);
  return (
    <>
      <td class="origin">{origin}</td>
      <td>
        <span class={`badge ${state === 'ok' ? 'good' : 'bad'}`}>{state}</span>
      </td>
      <td>{lastGoodAt ? age(Date.now() - Date.parse(lastGoodAt)) : 'none yet'}</td>
      <td>{nextPollAt ? dateTime(Date.parse(nextPollAt)) : ''}</td>
      <td class="number">
        {number(polls.good)} good, {number(polls.bad)} bad
      </td>
      <td title={lastError?.message}>
        {lastError
          ? `${number(bad)}, the last ${age(Date.now() - Date.parse(lastError.at))}: ${lastError.message}`
          : 'none'}
      </td>
    </>
  );
}
