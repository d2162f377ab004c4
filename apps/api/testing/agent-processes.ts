import { readdir, readFile } from 'node:fs/promises';

/** Gives the processes of this machine, a Linux one, whose environment has one of `variables`: `NAME=value`. */
export async function pidsWith(variables: ReadonlySet<string>): Promise<number[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = names.map(async (name) => {
    // It may have ended, or be another user's.
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    return environment.split('\0').some((entry) => variables.has(entry)) ? [Number(name)] : [];
  });
  return (await Promise.all(found)).flat();
}
