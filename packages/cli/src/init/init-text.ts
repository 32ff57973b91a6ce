import { isHttpUrl } from '../command-line/option-values.ts';
import type { InitAnswers } from './init-answers.ts';
import type { InitPlan } from './init-plan.ts';
import { topicLike } from './topic-like.ts';

/**
 * What is shown once a configuration is written: what was seen, what is there, and what to do next.
 *
 * @param written - the paths of the files, the configuration first
 */
export function initText({ answers, notes, sample, token }: InitPlan, written: readonly string[]): string {
  const [config = '', mapping] = written;
  const url = `${answers.publicUrl}${answers.stream}`;
  return [
    ...notes,
    `Written: ${written.join(', ')}.`,
    ...tokenLines(url, token),
    ...mapLines(sample, mapping, answers),
    '',
    'Publish it, and follow it:',
    '',
    `  npx ldes-live serve ${quoted(config)}${portOption(answers.publicUrl)}`,
    `  npx ldes-live follow ${url} --mal 10`,
    '',
  ].join('\n');
}

function tokenLines(url: string, token: string | undefined): string[] {
  if (token === undefined) return [];
  return [
    '',
    'The token that may post is shown this once; the configuration has its hash only:',
    '',
    `  ${token}`,
    '',
    'Post members, each entity with what is true of it now, once it is served:',
    '',
    `  curl -H 'authorization: Bearer ${token}' -H 'content-type: text/turtle' \\`,
    `       --data-binary @members.ttl ${url}`,
  ];
}

function mapLines(
  sample: string | undefined,
  mapping: string | undefined,
  { preset, lookups, source, topics }: InitAnswers,
): string[] {
  if (sample === undefined || (mapping === undefined && preset === undefined)) return [];
  const by = mapping === undefined ? `--preset ${preset}` : `--mapping ${quoted(mapping)}`;
  const topic = source === 'mqtt' ? ` --topic ${quoted(topicLike(topics[0] ?? ''))}` : '';
  const beside = lookups.map((name) => ` --lookup ${name}=FILE`).join('');
  const change = mapping === undefined ? '' : `, and change ${mapping} until it is right`;
  return [
    '',
    `See what becomes of the data${change}:`,
    '',
    `  npx ldes-live map ${quoted(sample)} ${by}${topic}${beside}`,
  ];
}

/** The port that readers of this machine expect, where it is not the usual one. */
function portOption(publicUrl: string): string {
  const { hostname, port } = new URL(publicUrl);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return isLocal && port !== '3000' ? ` --port ${port === '' ? '80' : port}` : '';
}

/** As a shell takes it. */
function quoted(text: string): string {
  const isPlain = isHttpUrl(text) ? /^[\w:/.%~-]+$/ : /^[\w/.-]+$/;
  return isPlain.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
