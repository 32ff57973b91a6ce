/*
 * Runs a document of Markdown as a reader would: its files are written, its commands run one after the other, in a folder
 * that looks like a clone of this repository. The first word after the language of a block says what becomes of it:
 *
 *   ```sh                  runs to its end, with success; what it exports holds for later blocks
 *   ```sh serves           goes on: the next block runs once it has printed an address or that it starts, and it is stopped in the end
 *   ```sh watch            goes on: it is stopped at the first line that it prints
 *   ```sh elsewhere        needs another machine: its syntax is checked, and the test that runs it is named in docs.test.ts
 *   ```yaml config.yml     is written to this file; so are programs and pages, which run when a command names them
 *   ```js, ```ts, ```py    without a file: runs until it ends, or has printed some lines
 *   ```html table.html     is opened in Chromium after the last command: it has to fill itself, without an error
 *   ```yaml, ```json       without a file: has to be well-formed
 *   ```text, ```mermaid    is shown only
 *
 * Ports are those of nobody else: the demonstration answers at 3000 of a document, and each other port has one of its own.
 */
import { cpSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, extname, join } from 'node:path';
import process from 'node:process';
import { programPath } from '@ldes-live/bench/programs';
import { eventually } from '@ldes-live/test-support/eventually';
import { reservedPort } from '@ldes-live/test-support/net';
import { transform } from 'esbuild';
import { chromium } from 'playwright-core';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { type Node, parseMarkdown } from '../../rules/prose.ts';
import { COMMAND, ROOT, type RunningProcess, startProcess } from './commands.ts';

export interface Block {
  readonly language: string;
  /** What stands after the language: a file's name, or how the block runs. */
  readonly mark: string;
  readonly text: string;
  readonly line: number;
}

/** The blocks of code of a document, in order. */
export function blocksOf(markdown: string): Block[] {
  const found: Block[] = [];
  const visit = ({ type, lang, meta, value, children, position }: Node): void => {
    if (type === 'code') {
      const line = position?.start.line ?? 0;
      found.push({ language: lang ?? '', mark: meta ?? '', text: `${value}\n`, line });
    } else for (const child of children ?? []) visit(child);
  };
  visit(parseMarkdown(markdown));
  return found;
}

const SHOWN = ['text', 'mermaid', 'http'];
const RUNTIMES: Readonly<Record<string, string>> = { js: 'node', ts: 'node', py: 'python3' };
const FILE = /^[\w./-]+$/;

/** Runs a document; `demonstration` is the public URL of one that runs. Stops all that it started. */
export async function runDocument(path: string, demonstration: string): Promise<void> {
  const markdown = readFileSync(ROOT + path, 'utf8');
  const ports = await portsOf(markdown, demonstration);
  const folder = await makeClone(ports);
  const running: RunningProcess[] = [];
  try {
    const document = new RunningDocument(folder, ports, running);
    for (const block of blocksOf(markdown)) {
      try {
        await document.run(block);
      } catch (error) {
        throw new Error(`${path}:${block.line} ${error instanceof Error ? error.message : error}`, { cause: error });
      }
    }
    await document.openPages();
  } finally {
    await Promise.all(running.map((program) => program.stop()));
    await rm(folder, { recursive: true, force: true });
  }
}

/** A port of its own for each port that a document names, or an example that it names. */
async function portsOf(markdown: string, demonstration: string): Promise<Map<string, string>> {
  const ports = new Map([['3000', new URL(demonstration).port]]);
  const named = exampleTexts().filter(({ file }) => markdown.includes(`examples/${dirname(file)}`));
  const text = [markdown, ...named.map((example) => example.text)].join('\n');
  for (const [, port = ''] of text.matchAll(/(?:localhost|127\.0\.0\.1|--port)[: ](\d{4,5})\b/g)) {
    if (!ports.has(port)) ports.set(port, String(await reservedPort()));
  }
  return ports;
}

const withPorts = (text: string, ports: ReadonlyMap<string, string>) =>
  text.replaceAll(/(?<![\d.])\d{4,5}(?![\d.]*\d)/g, (port) => ports.get(port) ?? port);

/** The texts of the examples, whose ports documents name. */
function exampleTexts(): { readonly file: string; readonly text: string }[] {
  return readdirSync(`${ROOT}examples`, { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.includes('node_modules') && statSync(`${ROOT}examples/${file}`).isFile())
    .map((file) => ({ file, text: readFileSync(`${ROOT}examples/${file}`, 'utf8') }));
}

/** A folder like a clone: all that is there as links, but examples with ports of their own, and `npx` and `npm` that install nothing. */
async function makeClone(ports: ReadonlyMap<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ldes-live-document-'));
  for (const name of await readdir(ROOT)) {
    if (!name.startsWith('.') && !['examples', 'data'].includes(name))
      symlinkSync(join(ROOT, name), join(folder, name));
  }
  cpSync(join(ROOT, 'examples'), join(folder, 'examples'), {
    recursive: true,
    filter: (file) => !file.includes('node_modules'),
  });
  for (const { file, text } of exampleTexts()) await writeFile(join(folder, 'examples', file), withPorts(text, ports));
  await mkdir(join(folder, '.bin'));
  const script = async (name: string, body: string) => {
    await writeFile(join(folder, '.bin', name), `#!/bin/sh\n${body}\n`);
    await chmod(join(folder, '.bin', name), 0o755);
  };
  await script('npx', `[ "$1" = ldes-live ] || exit 1\nshift\nexec node ${COMMAND} "$@"`);
  const isInstalled = `for name in "$@"; do case $name in -*) ;; *) test -e "node_modules/$name" || exit 1 ;; esac; done`;
  await script('npm', `case $1 in install|i) shift; ${isInstalled} ;; *) exec ${programPath('npm')} "$@" ;; esac`);
  return folder;
}

class RunningDocument {
  readonly #folder: string;
  readonly #ports: ReadonlyMap<string, string>;
  readonly #running: RunningProcess[];
  readonly #pages: string[] = [];
  readonly #env: NodeJS.ProcessEnv;

  constructor(folder: string, ports: ReadonlyMap<string, string>, running: RunningProcess[]) {
    this.#folder = folder;
    this.#ports = ports;
    this.#running = running;
    const path = [join(folder, '.bin'), process.env.PATH, '/usr/sbin'].join(delimiter);
    this.#env = { ...process.env, PATH: path, NO_COLOR: '1', PYTHONUNBUFFERED: '1' };
  }

  async run({ language, mark, text, line }: Block): Promise<void> {
    const here = withPorts(text, this.#ports);
    if (SHOWN.includes(language)) return;
    if (language === 'sh') await this.#runShell(here, mark);
    else if (mark !== '') {
      if (!FILE.test(mark)) throw new Error(`"${mark}" is not the name of a file.`);
      await mkdir(dirname(join(this.#folder, mark)), { recursive: true });
      await writeFile(join(this.#folder, mark), here);
      if (extname(mark) === '.html') this.#pages.push(mark);
    } else if (language === 'yaml') parse(here);
    else if (language === 'json') JSON.parse(here);
    else if (RUNTIMES[language]) await this.#runProgram(language, here, `block-${line}`);
    else throw new Error(`Blocks of "${language}" need the name of a file, or a rule of their own.`);
  }

  async #runShell(text: string, mark: string): Promise<void> {
    if (!['', 'serves', 'watch', 'elsewhere'].includes(mark))
      throw new Error(`"${mark}" is not a way to run a command.`);
    if (mark === 'elsewhere') return await this.#ends(this.#start('sh', ['-n', '-c', text]));
    const resume = 'if [ -e .exports ]; then . ./.exports; fi\n';
    if (mark === '') {
      const keep = `export -p | grep -v -E "^export (PATH|PWD|OLDPWD)=" > "${this.#folder}/.exports"`;
      return await this.#ends(this.#start('sh', ['-e', '-c', `${resume}${text}\n${keep}`]));
    }
    const program = this.#start('sh', ['-e', '-c', resume + text]);
    await this.#prints(program, mark === 'serves' ? /\w:\/\/|listen|port|start/i : /\S.*\n/);
    if (mark === 'watch') await program.stop();
  }

  async #runProgram(language: string, text: string, name: string): Promise<void> {
    const isTyped = language === 'ts';
    const code = isTyped ? (await transform(text, { loader: 'ts', format: 'esm' })).code : text;
    const file = join(this.#folder, `${name}.${language === 'py' ? 'py' : 'mjs'}`);
    await writeFile(file, code);
    const program = this.#start(RUNTIMES[language] as string, [file]);
    await Promise.race([program.ended, this.#prints(program, /(.*\n){3}/)]);
    await program.stop();
    expect([0, 'SIGTERM'], program.errorOutput()).toContain(await program.ended);
    expect(program.errorOutput()).toBe('');
  }

  #start(file: string, args: readonly string[]): RunningProcess {
    const program = startProcess(file, args, { cwd: this.#folder, env: this.#env, detached: true });
    this.#running.push(program);
    return program;
  }

  async #ends(program: RunningProcess): Promise<void> {
    expect(await program.ended, program.output() + program.errorOutput()).toBe(0);
  }

  async #prints(program: RunningProcess, pattern: RegExp): Promise<void> {
    await eventually(
      () => {
        const output = program.output() + program.errorOutput();
        if (program.child.exitCode !== null && program.child.exitCode !== 0) throw new Error(`It ended: ${output}`);
        expect(output).toMatch(pattern);
      },
      { forMs: 60_000 },
    );
  }

  /** Opens the pages of the document, which have to show more than what stands in their files. */
  async openPages(): Promise<void> {
    if (this.#pages.length === 0) return;
    const browser = await chromium.launch({ executablePath: programPath('chromium'), args: ['--no-sandbox'] });
    try {
      for (const name of this.#pages) {
        const page = await browser.newPage();
        const faults: string[] = [];
        page.on('pageerror', ({ message }) => faults.push(message));
        page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
        await page.goto(this.#addressOf(name), { waitUntil: 'commit' });
        const rows = () => page.locator('tr, li').count();
        await eventually(async () => expect(await rows(), faults.join('\n')).toBeGreaterThan(2), { forMs: 60_000 });
        expect(faults).toEqual([]);
      }
    } finally {
      await browser.close();
    }
  }

  #addressOf(name: string): string {
    const port = this.#ports.get('8000');
    return port === undefined ? `file://${join(this.#folder, name)}` : `http://localhost:${port}/${name}`;
  }
}
