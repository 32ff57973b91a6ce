import process from 'node:process';

/**
 * Shows how far it is while the rest goes on: in one line on a terminal, elsewhere in a line every 3 s. `progress` returns
 * how many of all are done, or what is going on before any is. What `showProgress` returns ends it; `false`: it failed.
 */
export function showProgress(title, unit, total, progress) {
  const startedMs = Date.now();
  const { isTTY: isTerminal } = process.stdout;
  const show = (done) => {
    const said = typeof done === 'string' ? done : `${done} of ${total} ${unit}`;
    const line = `${title}: ${said}, ${Math.round((Date.now() - startedMs) / 1000)} s`;
    process.stdout.write(isTerminal ? `\r\u001b[2K${line}` : `${line}\n`);
  };
  const timer = setInterval(() => show(progress()), isTerminal ? 500 : 3000);
  return (isDone = true) => {
    clearInterval(timer);
    if (isDone) show(total);
    if (isTerminal) process.stdout.write('\n');
  };
}
