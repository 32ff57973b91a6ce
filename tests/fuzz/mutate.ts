/* Makes an input of others: as bytes, as text of tokens and brackets, or by its own structure (structures.ts).
 *
 *   <a> <p> "x" .   -> <a> <p> "xxxxxxxx" .   a token is repeated
 *                   -> <a> <p> <a> .          a group of brackets or quotes takes the place of another
 *                   -> <a> <p> "\uD800" .     a word of the target's list takes the place of a token
 *
 * Each input gets one change or a few. Text is held as Latin-1 meanwhile, so bytes that are no UTF-8 stay as they are. */

import { changedBytes, type Material, NUMBERS, TEXTS, timesOf } from './material.ts';
import type { Random } from './random.ts';
import { changedJson, changedMqtt, changedProtobuf } from './structures.ts';
import type { Target } from './target.ts';

const LIMIT_INPUT_BYTES = 65_536;

type Change = (input: Uint8Array, material: Material) => Uint8Array;

/** An input that differs from one given. */
export function mutated(input: Uint8Array, material: Material): Uint8Array {
  const { random, target } = material;
  let output = input;
  do {
    const change = random.oneIn(5) ? changedBytes : changeOf(target.grammar, random);
    output = change(output, material);
  } while (!random.oneIn(2));
  return output.subarray(0, target.limitBytes ?? LIMIT_INPUT_BYTES);
}

function changeOf(grammar: Target['grammar'], random: Random): Change {
  if (grammar === 'protobuf') return changedProtobuf;
  if (grammar === 'mqtt') return changedMqtt;
  return grammar === 'json' && random.oneIn(2) ? changedJson : changedText;
}

// Words, white space in one, and every other character by itself.
const TOKEN = /[A-Za-z0-9_\x80-\xff]+|[ \t]+|[\s\S]/g;

const PAIRS: ReadonlyMap<string, string> = new Map(
  ['()', '[]', '{}', '<>', '""', "''"].map(([open, close]) => [open, close] as [string, string]),
);

function tokensOf(input: Uint8Array): string[] {
  return Buffer.from(input).toString('latin1').match(TOKEN) ?? [];
}

/** Changes tokens, groups within brackets or quotes, or lines. */
function changedText(input: Uint8Array, material: Material): Uint8Array {
  const { random, other } = material;
  const tokens = tokensOf(input);
  const [from, to] = random.range(tokens.length);
  // An array, since there may be more tokens than a function takes arguments.
  const splice = (put: readonly string[]) => [...tokens.slice(0, from), ...put, ...tokens.slice(to)];
  const group = groupAt(tokens, random);
  const spliceGroup = (put: readonly string[]) =>
    group ? [...tokens.slice(0, group[0]), ...put, ...tokens.slice(group[1])] : splice(put);
  const part = tokens.slice(from, to);
  const own = group ? tokens.slice(...group) : part;
  const changes: (() => readonly string[])[] = [
    () => splice([]),
    () => splice([...part, ...part]),
    () => splice([wordOf(material)]),
    () => splice([...part, wordOf(material)]),
    () => splice([...part, ' ', wordOf(material), ' ']),
    () => splice(part.reverse()),
    () => numbersChanged(tokens, random),
    () => {
      const donors = tokensOf(other());
      return splice(donors.slice(...random.range(donors.length)));
    },
    () => {
      const donors = tokensOf(other());
      const donated = groupAt(donors, random);
      return donated ? spliceGroup(donors.slice(...donated)) : tokens;
    },
    () => {
      const second = groupAt(tokens, random);
      return second ? spliceGroup(tokens.slice(...second)) : tokens;
    },
    () => {
      // One of the same brackets, so that the grammar holds more often.
      const donors = tokensOf(other());
      const donated = group && groupAt(donors, random, own[0]);
      return donated ? spliceGroup(donors.slice(...donated)) : tokens;
    },
    () => spliceGroup([...own, ...own]),
    () => spliceGroup(nested(own, timesOf(random, random.oneIn(20) ? 15 : 8, 2))),
    () => repeated(tokens, random),
    () => splice(Array<string>(timesOf(random, random.oneIn(20) ? 16 : 8, part.join('').length)).fill(part.join(''))),
  ];
  return Buffer.from(random.pick(changes)().join(''), 'latin1');
}

const LIMIT_GROUP_TOKENS = 2000;

/** Where a random group begins and ends, its brackets or quotes included; of one kind where that is given. */
function groupAt(
  tokens: readonly string[],
  random: Random,
  kind?: string,
): readonly [from: number, to: number] | undefined {
  const start = random.below(tokens.length);
  for (let from = start; from < Math.min(tokens.length, start + 100); from += 1) {
    const open = tokens[from] as string;
    const close = PAIRS.get(open);
    if (close === undefined || (kind ?? open) !== open) continue;
    let depth = 1;
    for (let to = from + 1; to < Math.min(tokens.length, from + LIMIT_GROUP_TOKENS); to += 1) {
      if (tokens[to] === close) depth -= 1;
      else if (tokens[to] === open) depth += 1;
      if (depth === 0) return [from, to + 1];
    }
  }
  return undefined;
}

/** A group within itself, so many times. */
function nested(group: readonly string[], times: number): readonly string[] {
  const [open = '[', ...rest] = group;
  const close = PAIRS.get(open) ?? '';
  return [open.repeat(times), ...rest.slice(0, -1), close.repeat(times)];
}

function numbersChanged(tokens: readonly string[], random: Random): readonly string[] {
  const numbers = tokens.flatMap((token, index) => (/^\d+$/.test(token) ? [index] : []));
  if (numbers.length === 0) return tokens;
  return [...tokens].with(random.pick(numbers), String(random.pick(NUMBERS)));
}

/** Lines, or all of it, many times: each with numbers of its own, so that they may be of different things. */
function repeated(tokens: readonly string[], random: Random): readonly string[] {
  const lines = tokens.join('').split('\n');
  const [from, to] = random.range(lines.length);
  const part = lines.slice(from, to).join('\n');
  const word = random.pick(part.match(/[A-Za-z0-9]+/g) ?? ['']);
  const times = timesOf(random, random.oneIn(10) ? 12 : 6, part.length);
  const copies = Array.from({ length: times }, (_, index) =>
    word === '' ? part : part.replaceAll(word, word + index),
  );
  return [[...lines.slice(0, from), ...copies, ...lines.slice(to)].join('\n')];
}

function wordOf({ random, target }: Material): string {
  const word = random.oneIn(4) ? random.pick(TEXTS) : random.pick(target.words);
  return Buffer.from(word).toString('latin1');
}
