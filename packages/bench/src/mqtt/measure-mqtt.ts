import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Child, startChild } from '../child.ts';
import { CLIENT_CORE, SERVER_CORE } from '../client/cores.ts';
import { freePort } from '../free-port.ts';
import { isInstalled } from '../installed-program.ts';
import type { Setting } from '../setting.ts';
import { BROKER_PROGRAM, startBroker } from './broker.ts';
import { isWithin, type LagSummary, summarizeLags } from './lag-summary.ts';
import type {
  LagReaderPlan,
  LagReaderReport,
  SensorServerPlan,
  SensorServerReport,
  SensorsPlan,
  SensorsReport,
} from './mqtt-messages.ts';
import type { MqttSize } from './mqtt-size.ts';
import { sensorStream } from './sensor-stream.ts';

/** What came of the messages of sensors. */
export interface MqttRun {
  readonly published: number;
  /** Different ones that the reader got. */
  readonly received: number;
  readonly lost: number;
  readonly doubled: number;
  readonly gaps: number;
  /** Members of the log at the end. */
  readonly members: number;
  readonly all: LagSummary;
  /** Those that were not to be published while or soon after something restarted. */
  readonly undisturbed: LagSummary;
  readonly brokerRestart: LagSummary;
  readonly serverRestart: LagSummary;
  /** How long the broker and the server were down, milliseconds. */
  readonly brokerDownMs: number;
  readonly serverDownMs: number;
  /** CPU time of the servers, for a message, microseconds. */
  readonly serverCpuMicros: number;
  /** How much later than planned a message was written at most, milliseconds. */
  readonly loadLateMs: number;
  readonly servers: readonly SensorServerReport[];
}

/** What was measured, or the program that is missing. */
export interface MqttResult {
  readonly run?: MqttRun;
  readonly missing: readonly string[];
}

// Longer than any restart lasts; who has not come by then does not come.
const LIMIT_REST_MS = 60_000;

/** Sensors by MQTT to a log on disk, and by push to a client, while the broker and then the server restart. */
export async function measureMqtt(size: MqttSize, setting: Setting): Promise<MqttResult> {
  if (!isInstalled(BROKER_PROGRAM)) return { missing: [BROKER_PROGRAM] };
  const broker = await startBroker();
  const children = new Set<Child<unknown>>();
  const start = <Message>(name: string, plan: object, core: number): Child<Message> => {
    const child = startChild<Message>(new URL(`./${name}-process.js`, import.meta.url), [JSON.stringify(plan)], core);
    children.add(child);
    void child.ended.then(() => children.delete(child));
    return child;
  };
  try {
    const port = await freePort();
    const folder = await mkdtemp(join(setting.folder, 'log-'));
    const serverPlan: SensorServerPlan = { port, folder, brokerUrl: broker.url };
    const startServer = async () => {
      const child = start<SensorServerReport>('sensor-server', serverPlan, SERVER_CORE);
      await child.next();
      return child;
    };
    const stopServer = async (child: Child<SensorServerReport>) => {
      child.send({});
      const report = await child.next();
      await child.ended;
      return report;
    };
    const first = await startServer();
    const messages = size.sensors * size.seconds;
    const readerPlan: LagReaderPlan = { url: sensorStream(`http://127.0.0.1:${port}/`).url, messages };
    const reader = start<LagReaderReport>('lag-reader', readerPlan, CLIENT_CORE);
    await reader.next();
    const sensorsPlan: SensorsPlan = { brokerPort: broker.port, sensors: size.sensors, seconds: size.seconds };
    const sensors = start<SensorsReport>('sensors', sensorsPlan, CLIENT_CORE);
    await sensors.next();
    sensors.send({});
    const startedMs = Date.now();
    const until = (seconds: number) => delay(startedMs + seconds * 1000 - Date.now());

    await until(size.brokerRestartSeconds);
    const brokerStopMs = Date.now();
    await broker.stop();
    await broker.start();
    const brokerDownMs = Date.now() - brokerStopMs;
    setting.onProgress(`mqtt: the broker restarted in ${brokerDownMs} ms`);

    await until(size.serverRestartSeconds);
    const serverStopMs = Date.now();
    const before = await stopServer(first);
    const second = await startServer();
    const serverDownMs = Date.now() - serverStopMs;
    setting.onProgress(`mqtt: the server restarted in ${serverDownMs} ms`);

    const published = await sensors.next();
    const giveUp = setTimeout(() => reader.send({}), LIMIT_REST_MS);
    const read = await reader.next();
    clearTimeout(giveUp);
    const after = await stopServer(second);
    await Promise.all([reader.ended, sensors.ended]);
    const settleMs = size.settleSeconds * 1000;
    const { samples, doubled, gaps } = read;
    const ofBroker = samples.filter((sample) => isWithin(sample, brokerStopMs - settleMs / 10, settleMs));
    const ofServer = samples.filter((sample) => isWithin(sample, serverStopMs - settleMs / 10, settleMs));
    const disturbed = new Set([...ofBroker, ...ofServer]);
    const received = samples.length - doubled;
    setting.onProgress(`mqtt: ${received} of ${published.published} messages received, ${doubled} twice`);
    return {
      missing: [],
      run: {
        published: published.published,
        received,
        lost: published.published - received,
        doubled,
        gaps,
        members: after.members,
        all: summarizeLags(samples),
        undisturbed: summarizeLags(samples.filter((sample) => !disturbed.has(sample))),
        brokerRestart: summarizeLags(ofBroker),
        serverRestart: summarizeLags(ofServer),
        brokerDownMs,
        serverDownMs,
        serverCpuMicros: (before.cpuMicros + after.cpuMicros) / published.published,
        loadLateMs: published.lateMs,
        servers: [before, after],
      },
    };
  } finally {
    // Each ends when there is nobody to tell any more.
    for (const child of children) child.disconnect();
    await broker.close();
  }
}
