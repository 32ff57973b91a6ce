import process from 'node:process';

/**
 * Shows how many of all are done while the rest goes on: in one line on a terminal, elsewhere in a line every 3 s. What it
 * returns says that all are done.
 */
export function showProgress(title, unit, total, countDone) {
  const startedMs = Date.now();
  const { isTTY: isTerminal } = process.stdout;
  const show = (done) => {
    const line = `${title}: ${done} of ${total} ${unit}, ${Math.round((Date.now() - startedMs) / 1000)} s`;
    process.stdout.write(isTerminal ? `\r\u001b[2K${line}` : `${line}\n`);
  };
  const timer = setInterval(() => show(countDone()), isTerminal ? 500 : 3000);
  return () => {
    clearInterval(timer);
    show(total);
    if (isTerminal) process.stdout.write('\n');
  };
}
