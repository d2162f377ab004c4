import { readdir, readFile } from 'node:fs/promises';

/** Returns the pids of this Linux machine's processes whose environment has one of `variables`, each `NAME=value`. */
export async function pidsWith(variables: ReadonlySet<string>): Promise<number[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = names.map(async (name) => {
    // The process may have ended, or belong to another user.
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    return environment.split('\0').some((entry) => variables.has(entry)) ? [Number(name)] : [];
  });
  return (await Promise.all(found)).flat();
}
