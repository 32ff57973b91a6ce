import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { runDocuments } from './documents/documents.ts';
import { documentsText } from './documents/documents-text.ts';

const USAGE = `Runs an experiment and reports what it found.

  npm run bench -- documents [--quick] [--out DIR]

  documents   requests per second of documents that are ready, beside a bare Fastify route;
              members per second of a log on disk whose sealed pages are all made
  --quick     fewer and shorter rounds: to see that it works
  --out DIR   write the report as DIR/documents.json too
`;

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
  const options = { quick: { type: 'boolean' }, out: { type: 'string' } } as const;
  let parsed: ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    edge.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  const { values, positionals } = parsed;
  if (positionals.length !== 1 || positionals[0] !== 'documents') {
    edge.stderr.write(USAGE);
    return 2;
  }
  const report = await runDocuments({ quick: values.quick ?? false }, (line) => edge.stderr.write(`${line}\n`));
  edge.stdout.write(documentsText(report));
  if (values.out !== undefined) {
    await mkdir(values.out, { recursive: true });
    await writeFile(join(values.out, 'documents.json'), `${JSON.stringify(report, null, 2)}\n`);
  }
  return 0;
}
