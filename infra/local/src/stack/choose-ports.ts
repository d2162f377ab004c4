import path from 'node:path';
import type { StackConfig } from '../config.ts';
import { takePort } from '../supervision/ports.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { API, CONSOLE, type StackContext } from './stack-context.ts';
import type { StackFile } from './stack-file.ts';

/**
 * Chooses a port for each part. No two parts get the same port, even before they start, and ports that the user chose are
 * kept for their parts.
 */
export function choosePorts({
  folder,
  port,
  console,
}: Pick<StackConfig, 'console' | 'folder' | 'port'>): Pick<StackContext, 'portOf'> &
  Pick<StackFile, 'takenPorts'> {
  const file = path.join(folder, 'ports.json');
  const given = new Map<string, number>();
  if (port.variable !== undefined) given.set(API, port.wanted);
  if (console?.port.variable !== undefined) given.set(CONSOLE, console.port.wanted);
  const takenPorts: Record<string, number> = {};
  const portOf = oneAtATime<Parameters<StackContext['portOf']>, number>(
    async (name, host, choice = {}) => {
      const others = new Map(given);
      others.delete(name);
      const excluded = new Set(others.values());
      const chosen = await takePort({ file, name, host, excluded, ...choice });
      given.set(name, chosen);
      if (choice.wanted && chosen !== choice.wanted) takenPorts[name] = choice.wanted;
      else delete takenPorts[name];
      return chosen;
    },
  );
  return { portOf, takenPorts };
}
