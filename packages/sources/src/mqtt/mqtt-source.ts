import { backoffMs } from '@ldes-live/latency';
import { type Draft, isStreamError, type LatestView, type StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { named } from '../options.ts';
import { HealthTracker, UnmappedWatch } from '../polling/health.ts';
import { PollListeners, type Source } from '../source.ts';
import { createDeliveredMessages } from './delivered-messages.ts';
import type { MqttConnection } from './mqtt-connection.ts';
import { type MqttEdge, systemMqttEdge } from './mqtt-edge.ts';
import { planMqtt } from './mqtt-plan.ts';
import { createMqttReporter } from './mqtt-reporter.ts';
import type { MqttSourceOptions } from './mqtt-source-options.ts';
import { openConnection } from './open-connection.ts';
import { isAskedFor } from './read-message.ts';
import { storeMessages } from './store-messages.ts';

/** Of a flood of messages so many are looked at for fields that are not mapped; of fewer, all are. */
const LOOK_PACE = { looks: 100, everyMs: 1000 };

/**
 * Makes the source of the messages of an MQTT broker.
 *
 * A message is acknowledged once what it says has been stored, so that the broker delivers again what was not; what
 * waits while others are stored is stored together.
 *
 * @param edge - the world as the source sees it; where parts are absent, as it is
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - an option out of its range
 * @example
 * ```ts
 * const mapping = compileMapping(parseMapping(value), { publicUrl, streamUrl });
 * const topics = [{ filter: 'sensors/+/temperature' }];
 * const source = createMqttSource({ url: 'mqtts://broker.example', clientId: 'ldes-live-sensors', topics, mapping });
 * for await (const batch of source.drafts(log.latest, signal)) await log.append(batch);
 * ```
 * @see specs/mqtt.md MQTT-1
 */
export function createMqttSource(options: MqttSourceOptions, edge: Partial<MqttEdge> = {}): Source {
  const plan = planMqtt(options);
  const world: MqttEdge = { ...systemMqttEdge, ...edge };
  const { clock, sleep, random } = world;
  const ledger = new HealthTracker(plan.origin);
  // Whoever watches must not stop what is watched.
  const listeners = new PollListeners((thrown) => ledger.problem(clock(), named(thrown)));
  const reporter = createMqttReporter(plan.origin, ledger, { clock, report: listeners.report });
  const delivered = createDeliveredMessages();
  const watch = new UnmappedWatch(LOOK_PACE);
  let isSubscribed = false;

  const connect = async (signal: AbortSignal): Promise<MqttConnection | StreamError> => {
    const startedAtMs = clock();
    const problems: StreamError[] = [];
    const opened = await openConnection(plan, isSubscribed, (problem) => problems.push(problem), world, signal);
    if (signal.aborted || isStreamError(opened)) return opened;
    if (!opened.isSessionPresent()) delivered.forget();
    // Asked again the next time for what was not granted.
    isSubscribed = problems.every(({ code }) => code === 'ERR_MQTT_SESSION_LOST');
    reporter.connected(startedAtMs, problems);
    return opened;
  };

  async function* follow(
    connection: MqttConnection,
    latest: LatestView,
    signal: AbortSignal,
  ): AsyncGenerator<readonly Draft[], void, void> {
    let isStrangeTold = false;
    while (!signal.aborted) {
      await connection.ready(signal);
      const messages = connection.take(plan.limitBatchMessages);
      const [first] = messages;
      if (!first) return;
      const storing = {
        reading: { ...plan, watch },
        delivered,
        acknowledge: (stored: typeof messages) =>
          connection.acknowledge(stored.flatMap(({ messageId }) => (messageId === undefined ? [] : [messageId]))),
      };
      const outcome = yield* storeMessages(messages, storing, latest);
      const strange = isStrangeTold ? undefined : messages.find(({ topic }) => !isAskedFor(topic, plan));
      if (strange) isStrangeTold = true;
      const told = strange
        ? [errors.ERR_MQTT_UNEXPECTED_TOPIC({ url: plan.session.broker, topic: strange.topic })]
        : [];
      reporter.stored(first.receivedAtMs, { ...outcome, problems: [...told, ...outcome.problems] });
    }
  }

  async function* drafts(latest: LatestView, signal: AbortSignal): AsyncGenerator<readonly Draft[], void, void> {
    let failures = 0;
    while (!signal.aborted) {
      const startedAtMs = clock();
      const connection = await connect(signal);
      let error: StreamError | undefined;
      if (isStreamError(connection)) error = connection;
      else {
        const liveSinceMs = clock();
        try {
          yield* follow(connection, latest, signal);
          error = connection.error();
        } finally {
          await connection.leave();
        }
        // One that was broken off soon again counts as failed: two who take the session from each other must not race.
        if (clock() - liveSinceMs >= plan.maxMs) failures = 0;
      }
      if (signal.aborted || !error) return;
      failures += 1;
      const waitMs = backoffMs({ attempt: failures, random: random(), baseMs: plan.baseMs, maxMs: plan.maxMs });
      reporter.failed(startedAtMs, error, clock() + waitMs);
      await sleep(waitMs, signal).catch(() => undefined);
      reporter.planned(undefined);
    }
  }

  return {
    origin: plan.origin,
    drafts,
    health: ledger.health,
    schedule: () => ({ kind: 'unknown' }),
    onPoll: listeners.onPoll,
  };
}
