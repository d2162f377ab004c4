import path from 'node:path';
import { type Command, findProgram } from '@session/agents';

/** The folder of all our programs, in the repository and in an image. */
const APPS = path.resolve(import.meta.dirname, '../../..');

/** Returns the command of an agent's program, or undefined when the program is not installed. */
export function findAgentProgram(program: string): Command | undefined {
  return findProgram(APPS, program);
}
