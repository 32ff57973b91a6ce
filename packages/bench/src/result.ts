/*
 * What an experiment found, as JSON: `EXPERIMENT.json`, format 1. All cells of all rounds, with their histograms, so that
 * tables and pictures can be made anew.
 *
 *   { "format": 1, "experiment": "documents", "quick": false, "machine": {...}, "plan": { "repeats": 9, ... },
 *     "cells": [{ "measurement": "serving", "subject": "ldes-live", "at": { "document": "latest" }, "repeat": 0,
 *                 "values": { "requestsPerSecond": 9500, "cpuMicros": 98.1 } }, ...],
 *     "missing": ["nginx"], "warnings": ["Not on this machine, and left out: nginx."] }
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { figureOf, figureText, keyOf, type Ratio, rowsOf } from './figures.ts';
import type { Machine } from './machine.ts';

/** Where a cell was measured: by names that end in their unit, such as `{ clients: 100, malSeconds: 5, front: 'nginx' }`. */
type At = Readonly<Record<string, number | string>>;

/** What tells a cell from others of its experiment. */
export interface CellPlan {
  /** A name that `--only` knows. */
  readonly measurement: string;
  /** Whom it is of, as tables name it: `ldes-live`, `Express`. */
  readonly subject: string;
  readonly at: At;
}

/** One measurement of one round. */
export interface Cell extends CellPlan {
  /** Number of the round, from 0. */
  readonly repeat: number;
  /** By names that end in their unit: `cpuMicros`, `p99Ms`, `residentBytes`; counts of what went wrong too: `lost`. */
  readonly values: Readonly<Record<string, number>>;
  /** Delays by name, such as `delay`: HdrHistogram V2, compressed, base64; microseconds. */
  readonly histograms?: Readonly<Record<string, string>>;
  /** Why values are lacking that the load could not measure: it was busy with itself. */
  readonly refused?: string;
  /** Why it could not be measured. */
  readonly failed?: string;
}

/** All of one run of one experiment. */
export interface Result {
  readonly format: 1;
  readonly experiment: string;
  readonly title: string;
  /** Address of what it repeats. */
  readonly source?: string;
  /** The command line that makes it again. */
  readonly command: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly tookSeconds: number;
  /** Whether its rounds were too few and too short for figures. */
  readonly quick: boolean;
  readonly seed: number;
  readonly machine: Machine;
  /** Versions of what took part, by name. */
  readonly versions: Readonly<Record<string, string>>;
  /** Sizes and counts that it was run with. */
  readonly plan: Readonly<Record<string, unknown>>;
  readonly cells: readonly Cell[];
  /** What was not on this machine. */
  readonly missing: readonly string[];
  /** What a reader has to know before any figure. */
  readonly warnings: readonly string[];
}

/** What cannot be used: text for whoever gave it. */
export class UnusableFolder extends Error {}

const TRIAL = '.ldes-live-bench-trial';

/** Makes a folder where it is missing. Whatever cannot be written is to be known before hours of measuring. */
export async function openFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    await writeFile(join(folder, TRIAL), '');
    await rm(join(folder, TRIAL));
  } catch (error) {
    throw new UnusableFolder(`Nothing can be written to "${folder}": ${(error as Error).message}.`);
  }
}

/** By itself: `recursive` tries forever where the system says ENOENT of a folder whose parent is there, as below `/proc`. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || existsSync(dirname(folder))) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder);
  }
}

/** Writes a result, each of its cells in a line; in the place of what this run has written before. */
export async function writeResult(folder: string, result: Result, name = result.experiment): Promise<void> {
  const { cells, ...rest } = result;
  const head = JSON.stringify(rest, null, 2).replace(/\n\}$/, '');
  const lines = cells.map((cell) => `\n    ${JSON.stringify(cell)}`);
  await writeFile(join(folder, `${name}.json`), `${head},\n  "cells": [${lines.join(',')}\n  ]\n}\n`);
}

/**
 * Gives the result that is there a name with the time that it began: `e1.2026-11-22T01-26-43Z.json`. No page shows it.
 *
 * @returns its path; undefined where there is none
 */
export async function keepEarlier(folder: string, experiment: string): Promise<string | undefined> {
  const path = join(folder, `${experiment}.json`);
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const began = /"startedAt": *"([^"]+)"/.exec(text)?.[1] ?? 'earlier';
  const kept = join(folder, `${experiment}.${began.replace(/\.\d+/, '').replace(/[^\w+-]/g, '-')}.json`);
  await rename(path, kept);
  return kept;
}

/**
 * The results of a folder, `EXPERIMENT.json` and after it those of another Node.js, `EXPERIMENT.node24.json`; or the one of a
 * file. What is of another format, and what was kept of earlier runs, is left out.
 *
 * @throws {@link UnusableFolder} - there is none
 */
export async function readResults(path: string): Promise<readonly Result[]> {
  try {
    const isFolder = (await stat(path)).isDirectory();
    const names = isFolder ? (await readdir(path)).filter((name) => /^[^.]+(\.node\d+)?\.json$/.test(name)).sort() : [];
    const files = isFolder ? names.map((name) => join(path, name)) : [path];
    const values = await Promise.all(files.map(async (file) => JSON.parse(await readFile(file, 'utf8')) as unknown));
    const results = values.filter(isResult);
    if (results.length > 0) return results;
  } catch (error) {
    throw new UnusableFolder(`"${path}" cannot be read: ${(error as Error).message}.`);
  }
  throw new UnusableFolder(`"${path}" has no results of benchmarks.`);
}

function isResult(value: unknown): value is Result {
  const { format, experiment, cells } = (value ?? {}) as Partial<Result>;
  return format === 1 && typeof experiment === 'string' && Array.isArray(cells) && cells.every(isCell);
}

function isCell(value: unknown): value is Cell {
  const { at, values } = (value ?? {}) as Partial<Cell>;
  return [at, values].every((part) => typeof part === 'object' && part !== null);
}

/**
 * The ratios that two runs of an experiment have both, what moved most first; `change` is the later median in parts of the
 * earlier one.
 */
export function compareResults(earlier: Result, later: Result, ratios: readonly Ratio[]) {
  const compared = ratios.flatMap((ratio) =>
    rowsOf(later.cells, ratio.of).flatMap((rounds) => {
      const [cell] = rounds as [Cell];
      const same = earlier.cells.filter((other) => keyOf(other) === keyOf(cell));
      const [before, after] = [figureOf(same, ratio, earlier.cells), figureOf(rounds, ratio, later.cells)];
      if (!before || !after) return [];
      return [{ name: figureText(ratio, cell), earlier: before, later: after, change: after.median / before.median }];
    }),
  );
  const moved = ({ change }: { readonly change: number }) => Math.abs(Math.log(change));
  return compared.sort((left, right) => moved(right) - moved(left));
}
