import path from 'node:path';
import { type Command, findProgram } from '@session/agents';

/** Our programs lie side by side, in the repository as in an image. */
const APPS = path.resolve(import.meta.dirname, '../../../..');

/** Gives the command of an agent's program, or undefined when it is not installed. */
export function findAgentProgram(program: string): Command | undefined {
  return findProgram(APPS, program);
}
