import type { InitCommand } from '../command-line/init-command.ts';
import type { Environment } from '../environment.ts';
import { NO_QUESTIONS, terminalQuestions } from './ask.ts';
import { initText } from './init-text.ts';
import { planInit } from './plan-init.ts';
import { writeNew } from './write-new.ts';

/** What the configuration is called. */
const CONFIG_FILE = 'config.yml';

/**
 * Writes a configuration for the data that somebody has, and a mapping beside it where none of those that ship fits.
 *
 * @throws {@link StreamError} `ERR_USAGE` - something has to be known that was neither given nor answered
 * @throws {@link StreamError} `ERR_SAMPLE_UNREADABLE`, `ERR_SAMPLE_UNKNOWN` - the sample, or what the URL answers
 * @throws {@link StreamError} `ERR_FILE_EXISTS`, `ERR_FILE_WRITE` - the files; none is written then
 */
export async function init(command: InitCommand, edge: Environment): Promise<void> {
  const { stdin } = edge;
  const asks = !command.yes && stdin?.isTTY === true;
  const questions = asks ? terminalQuestions(stdin, edge) : NO_QUESTIONS;
  try {
    const plan = await planInit(command, questions.ask, edge.interrupted);
    const files = [{ name: CONFIG_FILE, text: plan.config }, ...plan.mappings];
    const written = await writeNew(files, command);
    edge.stdout.write(initText(plan, written));
  } finally {
    questions.close();
  }
}
