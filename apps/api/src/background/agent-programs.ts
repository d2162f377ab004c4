import path from 'node:path';
import { type Command, findProgram } from '@session/agents';

const APPS = path.resolve(import.meta.dirname, '../../..');

export function findAgentProgram(program: string): Command | undefined {
  return findProgram(APPS, program);
}
