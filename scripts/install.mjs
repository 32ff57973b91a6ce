// `node scripts/install.mjs [--omit=dev] [--prefix FOLDER/]`: `npm ci`, and how far it is.
import { spawn } from 'node:child_process';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { isFilled, lockedPackages } from './locked-packages.mjs';
import { showProgress } from './progress.mjs';

const options = { omit: { type: 'string' }, prefix: { type: 'string', default: '' } };
const { omit, prefix } = parseArgs({ options }).values;
const packages = lockedPackages(prefix).filter(({ isDevelopment }) => !(isDevelopment && omit === 'dev'));

// A registry that does not answer is told after seconds: npm would wait for minutes.
const args = ['ci', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error', '--fetch-retry-mintimeout=1000'];
args.push('--fetch-retry-maxtimeout=5000');
if (omit) args.push(`--omit=${omit}`);
if (prefix) args.push('--prefix', prefix);
// npm names itself to the scripts that it runs, so that the same one is used here.
const npm = process.env.npm_execpath;
const [command, ...before] = npm ? [process.execPath, npm] : ['npm'];
const installing = spawn(command, [...before, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
// npm goes on for a while when it is interrupted, and would meet the next installation.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => installing.kill('SIGKILL'));

// npm first takes away what was there, then asks for the packages, then fills a folder for each.
let least = packages.length;
const countDone = () => {
  const done = packages.filter((each) => isFilled(prefix, each)).length;
  const isFilling = done > least;
  least = Math.min(least, done);
  if (isFilling) return done;
  return least > 0 ? 'what was there is taken away' : `npm asks for ${packages.length} packages`;
};
const end = showProgress('Install', 'packages', packages.length, countDone);
installing.on('close', (code, signal) => {
  end(code === 0);
  if (code !== 0 && signal === null) {
    console.error(
      'npm says above what it lacks. Where it cannot reach its registry: see `npm config get registry` and',
    );
    console.error('`npm config get proxy`, then start again. An installation that broke off is begun anew.');
  }
  process.exit(signal === null ? (code ?? 1) : 130);
});
