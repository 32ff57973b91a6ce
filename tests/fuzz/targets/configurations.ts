/* Configurations of the command: YAML, as far as it can be judged without the files that it names. */
import { isStreamError } from '@ldes-live/rdf-stream';
import { parseConfig } from '../../../packages/cli/src/config/parse-config.ts';
import { configPlan } from '../../../packages/cli/src/serve/plan.ts';
import { accepted, type Outcome, refused, type Session, type Target, texts, Violation, words } from '../target.ts';

const SECRET = 'what-nobody-may-see';

async function run(input: Uint8Array): Promise<Outcome> {
  try {
    const { config } = parseConfig(Buffer.from(input).toString(), 'live.yml', { KEY: SECRET });
    configPlan({ config, files: {} }, '/etc/live.yml');
    return accepted(
      Object.values(config.streams)
        .map(({ source }) => source.kind)
        .sort()
        .join(' '),
    );
  } catch (error) {
    if (!isStreamError(error)) throw error;
    const { problems = [] } = error.details as { problems?: readonly string[] };
    if (problems.join().includes(SECRET)) throw new Violation('A message shows the value of a variable.');
    return refused(`${error.code} ${(problems[0] ?? '').replace(/^live.yml:\d+:\d+|["\d].*/g, '')}`);
  }
}

async function open(): Promise<Session> {
  return { run, check: async () => undefined, close: async () => undefined };
}

const HEAD = 'publicUrl: https://live.example.org/\nstore: memory\n';

export const configurationTarget: Target = {
  name: 'configurations',
  // As for mappings.
  limitBytes: 8192,
  grammar: 'text',
  words: [
    '\u0024{KEY}',
    '\u0024{',
    '\t',
    ...words(`
    publicUrl: store: node: nats: streams: source: gtfsRt: every: 20s 1.5m 0s 999999h json: csv: xml: gbfs: mqtt:
    topics: tokens: post: shape: mapping: file: preset: headers: retention: versions: updates:␣unpredictable &a *a
    <<:␣*a !!js/function !!binary !!set ?␣ -␣ :␣ | > " ' { } [ ] ~ --- ... %YAML␣1.1 # ␣␣ 0x10 .inf
    https://u:p@host/ mqtt://u:p@h ./a.yml query: engine:␣oxigraph limits:
  `),
  ],
  seeds: () =>
    texts(
      `${HEAD}streams:\n  vehicles:\n    title: V\n    retention: { versions: 2, history: 7d }\n    source: { gtfsRt: https://agency.example/vp.pb, every: 20s, headers: { x-key: "\u0024{KEY}" } }\n`,
      `${HEAD}streams:\n  water:\n    source: { post: true, tokens: [${'0a'.repeat(32)}], limits: { depth: 3 } }\n  a: { source: { json: https://a.example/, every: 1m, preset: parkapi } }\n`,
      `${HEAD}licence: urn:x\nstreams:\n  s: &s\n    source: { mqtt: "mqtts://u:p@broker.example", topics: a/+, preset: sensorthings-mqtt, session: 1d }\n  t: *s\n`,
    ),
  open,
};
