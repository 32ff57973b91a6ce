import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { runDocuments } from './documents/documents.ts';
import { documentsText } from './documents/documents-text.ts';
import { FANOUT_MEASUREMENTS, runFanout } from './fanout/fanout.ts';
import { fanoutText } from './fanout/fanout-text.ts';

const USAGE = `Runs an experiment and reports what it found.

  npm run bench -- documents [--quick] [--out DIR]
  npm run bench -- fanout [--only NAME]... [--quick] [--out DIR]

  documents   requests per second of documents that are ready, beside a bare Fastify route;
              members per second of a log on disk whose sealed pages are all made
  fanout      what an update costs that goes to very many clients, beside other servers
  --only NAME only these of its measurements: ${FANOUT_MEASUREMENTS.join(', ')}
  --quick     fewer and shorter rounds: to see that it works
  --out DIR   write the report as DIR/EXPERIMENT.json too
`;

const QUICK_NOTE = 'These rounds are too few and too short for figures: they show that it works (--quick).\n';

const OPTIONS = {
  quick: { type: 'boolean' },
  out: { type: 'string' },
  only: { type: 'string', multiple: true },
} as const;

/** How an experiment is run: what it found, and that as text. */
interface Run {
  readonly report: object;
  readonly text: string;
}

type Asked = { readonly quick: boolean; readonly only: readonly string[] };

const EXPERIMENTS: Readonly<Record<string, (asked: Asked, onProgress: (line: string) => void) => Promise<Run>>> = {
  documents: async (asked, onProgress) => {
    const report = await runDocuments(asked, onProgress);
    return { report, text: documentsText(report) };
  },
  fanout: async (asked, onProgress) => {
    const report = await runFanout(asked, onProgress);
    return { report, text: fanoutText(report) };
  },
};

/**
 * The benchmark command.
 *
 * @param args - without the names of the interpreter and the script
 * @returns the exit code: 0, or 2 when the arguments make no sense
 */
export async function bench(
  args: readonly string[],
  edge: { readonly stdout: Writable; readonly stderr: Writable },
): Promise<number> {
  let parsed: ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>;
  try {
    parsed = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    edge.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  const { values, positionals } = parsed;
  const [name = '', ...others] = positionals;
  const experiment = EXPERIMENTS[name];
  const only = values.only ?? [];
  if (!experiment || others.length > 0 || !isKnown(name, only)) {
    edge.stderr.write(USAGE);
    return 2;
  }
  const { report, text } = await experiment({ quick: values.quick ?? false, only }, (line) =>
    edge.stderr.write(`${line}\n`),
  );
  edge.stdout.write(values.quick ? `${text}${QUICK_NOTE}` : text);
  if (values.out !== undefined) {
    await mkdir(values.out, { recursive: true });
    await writeFile(join(values.out, `${name}.json`), `${JSON.stringify(report, null, 2)}\n`);
  }
  return 0;
}

/** Whether measurements are those of an experiment. */
function isKnown(experiment: string, only: readonly string[]): boolean {
  const known: readonly string[] = experiment === 'fanout' ? FANOUT_MEASUREMENTS : [];
  return only.every((name) => known.includes(name));
}
