import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { interopPython } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { newPerson } from '../testing/person.ts';
import { startRealApi } from '../testing/real-api.ts';
import { createClient } from './index.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);

const Identified = z.object({ id: z.string() });
const Access = z.object({ accessToken: z.string() });
const Page = z.object({ items: z.array(z.object({ content: z.string() })) });

/** Returns the samples of a section of docs/client.md, by language. */
async function samplesAfter(sentence: string): Promise<Map<string, string>> {
  const page = await readFile(path.join(root, 'docs/client.md'), 'utf8');
  const section = page.slice(page.indexOf(sentence));
  const blocks = [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].slice(0, 3);
  return new Map(blocks.map(([, language = '', code = '']) => [language, code]));
}

test('the calls of a backend in docs/client.md do the same with curl, in TypeScript and in Python', {
  timeout: 120_000,
  skip: interopPython() === '',
}, async () => {
  await using api = await startRealApi();
  const { client } = await newPerson(api, 'Ada');
  const { id: projectId } = await client.projects.create({ name: 'Product' });
  const { secret } = await client.apiKeys.create(projectId, { name: 'Backend' });
  const samples = await samplesAfter('The calls of a backend one by one');
  const folder = await mkdtemp(path.join(tmpdir(), 'calls-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const variables = { API_URL: api.url, API_KEY: secret, PROJECT_ID: projectId };
  const env = { PATH: process.env['PATH'], ...variables };

  const [names = '', create = '', token = '', read = ''] = (samples.get('sh') ?? '').split('\n');
  const curl = async (line: string, sessionId = '') => {
    const bash = ['-c', `${names}\n${line.replace('curl', 'curl --silent --fail')}`];
    return (await run('bash', bash, { env: { ...env, SESSION_ID: sessionId } })).stdout;
  };
  const { id } = Identified.parse(JSON.parse(await curl(create)));
  const { accessToken } = Access.parse(JSON.parse(await curl(token, id)));
  const guest = createClient({ baseUrl: api.url, token: accessToken });
  await guest.messages.say(id, { content: 'Good morning' });
  expect(Page.parse(JSON.parse(await curl(read, id))).items).toMatchObject([
    { content: 'Good morning' },
  ]);

  const typescript = `
    import { createClient } from '@session/client';
    const { API_URL, API_KEY, PROJECT_ID } = process.env;
    const api = createClient({ baseUrl: API_URL ?? '', token: API_KEY });
    ${samples.get('ts')}`;
  const program = path.join(import.meta.dirname, '../testing/.calls.ts');
  await writeFile(program, typescript);
  onTestFinished(() => rm(program));
  const node = await run(process.execPath, ['--conditions=@source', program], { env });
  expect(node.stdout).toBe('user Good morning\n');

  const python = `
import asyncio, httpx, os
PROJECT_ID = os.environ["PROJECT_ID"]
api = httpx.AsyncClient(base_url=os.environ["API_URL"], headers={"authorization": f"Bearer {os.environ['API_KEY']}"})
async def calls():
${(samples.get('python') ?? '').replaceAll(/^/gm, '    ')}
asyncio.run(calls())`;
  const script = path.join(folder, 'calls.py');
  await writeFile(script, python);
  expect((await run(interopPython(), [script], { env })).stdout).toBe('user Good morning\n');
});
