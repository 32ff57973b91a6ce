import { type LagSummary, LIMIT_LAG_MS } from './lag-summary.ts';
import type { MqttResult, MqttRun } from './measure-mqtt.ts';
import type { MqttSize } from './mqtt-size.ts';

/** The report on messages for a terminal. */
export function mqttText({ run, missing }: MqttResult, size: MqttSize): readonly string[] {
  const title = `MQTT: ${size.sensors} sensors, a message a second each for ${size.seconds} s, one run`;
  if (!run) return ['', title, `  not measured, not installed: ${missing.join(', ')}`];
  return ['', title, ...countLines(run), ...lagLines(run, size)];
}

function countLines(run: MqttRun): readonly string[] {
  const { published, received, lost, doubled, members, brokerDownMs, serverDownMs, serverCpuMicros, loadLateMs } = run;
  return [
    `  ${published} published, ${received} received by push: ${lost} lost, ${doubled} twice; ${members} members in the log`,
    `  restarts: the broker in ${brokerDownMs} ms, the server in ${serverDownMs} ms`,
    `  CPU time of the server for a message: ${serverCpuMicros.toFixed(0)} µs; the load was up to ${Math.round(loadLateMs)} ms late itself`,
  ];
}

function lagLines(run: MqttRun, { settleSeconds }: MqttSize): readonly string[] {
  const line = (name: string, { messages, p50Ms, p99Ms, longestMs, lateShare }: LagSummary) =>
    `  ${name.padEnd(44)}${String(messages).padStart(8)}${figure(p50Ms)}${figure(p99Ms)}${figure(longestMs)}${`${(lateShare * 100).toFixed(2)} %`.padStart(11)}`;
  return [
    '  from when a message was to be published until a push client has it, in ms',
    `  ${''.padEnd(44)}messages     p50     p99 longest  > ${LIMIT_LAG_MS} ms`,
    line('all messages', run.all),
    line('without those about the restarts', run.undisturbed),
    line(`of ${settleSeconds} s about the restart of the broker`, run.brokerRestart),
    line(`of ${settleSeconds} s about the restart of the server`, run.serverRestart),
  ];
}

function figure(value: number): string {
  return String(Math.round(value)).padStart(8);
}
