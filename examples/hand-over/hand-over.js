// History by the public reader `ldes-client`, then live by `@ldes-live/client`, from the very member where it ended.
//
//   node examples/hand-over/hand-over.js [URL] [--mal SECONDS] [--members N]
import process from 'node:process';
import { parseArgs } from 'node:util';
import { createLiveClient } from '@ldes-live/client';
import { replicateLDES } from 'ldes-client';
import { proof } from './proof.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { mal: { type: 'string', default: '1' }, members: { type: 'string', default: '100' } },
});
const url = positionals[0] ?? 'http://localhost:3000/vehicles';

/**
 * What the root of a stream says of its log: which life of it this is, and which property numbers its members.
 *
 * @param {string} root
 */
async function describe(root) {
  const response = await fetch(root, { headers: { accept: 'application/n-triples' } }).catch((error) => {
    throw new Error(
      `${root} could not be read (${error.cause?.message ?? error}): start the demonstration by npm start`,
    );
  });
  if (!response.ok) throw new Error(`${root} answered ${response.status}: give the URL of a stream`);
  const [epoch] = (response.headers.get('ldes-cursor') ?? '').split('-');
  const sequencePath = /<https:\/\/w3id\.org\/ldes#sequencePath> <([^>]+)>/.exec(await response.text())?.[1];
  if (!epoch || !sequencePath) throw new Error(`${root} has no cursor: it is not published by ldes-live`);
  return { epoch, sequencePath };
}

/**
 * Reads all that there is by the reader that people already have.
 *
 * @param {string} root
 * @param {string} sequencePath - IRI of the property that numbers the members
 * @returns the members' sequence numbers, in the order they came
 */
async function readHistory(root, sequencePath) {
  /** @type {number[]} */
  const sequences = [];
  // It looks for a shape to cut members by, and ours are whole as they stand.
  const members = replicateLDES({ url: root, polling: false, noShape: true }, 'none').stream();
  for await (const { quads } of members) {
    sequences.push(Number(quads.find(({ predicate }) => predicate.value === sequencePath)?.object.value));
  }
  return sequences;
}

/**
 * Goes on from a cursor, by pull or push as the MAL asks.
 *
 * @param {string} root
 * @param {string} cursor - `<epoch>-<sequence>` of the last member that was read
 * @param {number} count - after how many members to stop
 */
async function followFrom(root, cursor, count) {
  /** @type {number[]} */
  const sequences = [];
  const ways = { pull: 0, push: 0 };
  const client = createLiveClient({ mal: Number(values.mal) });
  for await (const change of client.follow(root, { from: cursor })) {
    if (change.kind === 'gap') throw new Error(`${change.from} cannot be continued: the log is another one now`);
    sequences.push(change.member.sequence);
    ways[change.via] += 1;
    if (sequences.length >= count) break;
  }
  return { sequences, ways };
}

/**
 * Ends the program: what is wrong is with the surroundings, and a stack trace would hide it.
 *
 * @param {Error} error
 * @returns {never}
 */
function giveUp({ message }) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const { epoch, sequencePath } = await describe(url).catch(giveUp);
const history = await readHistory(url, sequencePath);
const last = history.reduce((most, sequence) => Math.max(most, sequence), 0);
process.stdout.write(`history:  ${history.length} members by ldes-client, the last is number ${last}\n`);

const cursor = `${epoch}-${last}`;
const { sequences: live, ways } = await followFrom(url, cursor, Number(values.members));
process.stdout.write(
  `live:     ${live.length} members by ldes-live from ${cursor}: ${ways.pull} pulled, ${ways.push} pushed\n`,
);

const { isWhole, text } = proof(history, live);
process.stdout.write(`${text}\n`);
process.exitCode = isWhole ? 0 : 1;
