import { expect, test } from 'vitest';
import { parseBench } from '../src/command-line.ts';
import { UsageMistake } from '../src/options.ts';
import { fakeExperiment } from './fake-experiment.ts';

const catalogue = {
  experiments: [
    fakeExperiment('one', { options: ['clients', 'repeat', 'duration', 'mal'], measurements: ['a', 'b'] }),
    fakeExperiment('two', {
      options: ['repeat'],
      refusal: ({ repeats = 1 }) => (repeats > 9 ? 'Too many.' : undefined),
    }),
    fakeExperiment('long', { measurements: ['c'] }),
  ],
  beyondAll: ['long'],
};
const parse = (line: string) => parseBench(line.split(' ').filter(Boolean), catalogue);
const DEFAULT = { quick: false, only: [], seed: 1 };

function runsOf(line: string) {
  const command = parse(line);
  return command.kind === 'run' ? command.runs.map(({ experiment, asked }) => [experiment.name, asked]) : [];
}

test.each([
  ['one', [['one', DEFAULT]]],
  ['long --only c', [['long', { ...DEFAULT, only: ['c'] }]]],
  ['one --only b --only a --quick', [['one', { quick: true, only: ['b', 'a'], seed: 1 }]]],
  [
    'one --clients 100,2000 --duration 1.5 --repeat 5 --mal .5,60 --seed 0',
    [['one', { ...DEFAULT, seed: 0, clients: [100, 2000], durationSeconds: 1.5, repeats: 5, malSeconds: [0.5, 60] }]],
  ],
  ['one --clients 7,100,7 --mal 5,5.0', [['one', { ...DEFAULT, clients: [7, 100], malSeconds: [5] }]]],
  [
    'all',
    [
      ['one', DEFAULT],
      ['two', DEFAULT],
    ],
  ],
  [
    'all --repeat 10',
    [
      ['one', { ...DEFAULT, repeats: 10 }],
      ['two', { ...DEFAULT, repeats: 10 }],
    ],
  ],
  [
    'all --repeat 2 --clients 7',
    [
      ['one', { ...DEFAULT, repeats: 2, clients: [7] }],
      ['two', { ...DEFAULT, repeats: 2 }],
    ],
  ],
])('"%s" asks for that', (line, runs) => {
  expect(runsOf(line)).toEqual(runs);
});

test('reports go to a folder where one is given', () => {
  expect(parse('one')).not.toHaveProperty('out');
  expect(parse('one --out figures/new')).toMatchObject({ out: 'figures/new' });
});

test.each(['--help', '-h', 'one --help'])('"%s" asks for help', (line) => {
  expect(parse(line)).toEqual({ kind: 'help' });
});

test.each([
  ['', 'Give an experiment: one, two, long, or all.'],
  ['three', '"three" is no experiment: give one of one, two, long, or all.'],
  ['one two', 'Give one experiment, or all, not 2.'],
  ['one --fast', "Unknown option '--fast'."],
  ['one --out', "Option '--out <value>' argument missing."],
  ['one --out=', '--out is empty: give a folder.'],
  ['one --quick=yes', "Option '--quick' does not take an argument."],
  ['two --repeat 10', 'Too many.'],
  ['two --only a', 'two has no measurements to choose from by --only.'],
  ['one --only c', '--only is "c": the measurements of one are a, b.'],
  ['all --only a', '--only goes with one experiment, not with all.'],
  ['two --clients 10', 'two has no option --clients.'],
  ['long --repeat 2', 'long has no option --repeat.'],
  ['two --duration 2', 'two has no option --duration.'],
  ['two --mal 2', 'two has no option --mal.'],
  ['one --clients 10,', '--clients has "": give whole numbers from 1 to 100000, with commas between them.'],
  ['one --clients 0', '--clients has "0"'],
  ['one --clients 1e3', '--clients has "1e3"'],
  ['one --clients 100001', '--clients has "100001"'],
  ['one --duration 0', '--duration has "0": give seconds, above 0 and up to 86400.'],
  ['one --duration 5s', '--duration has "5s"'],
  ['one --repeat 0', '--repeat has "0": give a whole number from 1 to 1000.'],
  ['one --repeat 1.5', '--repeat has "1.5"'],
  ['one --mal 1,-2', '--mal has "-2": give seconds, above 0 and up to 86400, with commas between several.'],
  ['one --seed 4294967296', '--seed has "4294967296": give a whole number from 0 to 4294967295.'],
])('"%s" is refused: %s', (line, message) => {
  expect(() => parse(line)).toThrow(UsageMistake);
  expect(() => parse(line)).toThrow(message);
});
