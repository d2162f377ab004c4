import { readdir, readFile } from 'node:fs/promises';

export async function processesOf(text: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const line = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (line.includes(text)) found.push(Number(name));
  }
  return found;
}
