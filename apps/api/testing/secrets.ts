import { readdir, readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { openDatabase } from '@session/db';
import { testMedia } from '@session/testing';
import type { TestAgents } from './agents.ts';

/** A key as a template holds one. */
const KEY = 'sk-hunter2-of-the-tests';
/** How every token begins; what stands for one in a log has no more of it. */
const TOKEN = /eyJ\w/;
const VARIABLES = { LLM_API_KEY: KEY, ECHO_MODE: 'both' };

interface Ids {
  readonly agentId: string;
  readonly sessionId: string;
  readonly templateId: string;
}

/** A log, and all that it holds once it is closed. */
export interface KeptLog {
  readonly logStream: PassThrough;
  read(this: void): Promise<string>;
}

export function keepLog(): KeptLog {
  const logStream = new PassThrough();
  const kept = text(logStream);
  const read = async () => {
    logStream.end();
    return await kept;
  };
  return { logStream, read };
}

/** Makes the only template of a new project with a session. */
export async function createSecrets({ api, ana }: TestAgents): Promise<Omit<Ids, 'agentId'>> {
  const projectId = await api.createProject(ana);
  const sessionId = await api.createSession(ana, projectId);
  const url = `/projects/${projectId}/env-templates`;
  const payload = { name: 'keys', variables: VARIABLES };
  const { id } = (await api.inject(ana, { method: 'POST', url, payload })).json();
  return { sessionId, templateId: id };
}

/** Gives the answers to all that can be asked of an agent, its session and its template. */
export async function readAnswers(
  { api, ana }: TestAgents,
  { agentId, sessionId, templateId }: Ids,
): Promise<string[]> {
  const { projectId } = (await api.inject(ana, { url: `/sessions/${sessionId}` })).json();
  const logs = `/agents/${agentId}/logs`;
  const template = `/env-templates/${templateId}`;
  const faulty = { variables: { ...VARIABLES, 'no name': KEY } };
  const url = `/sessions/${sessionId}/agents?dryRun=true`;
  const requests = [
    { url: `/agents/${agentId}` },
    { url: `/agents/${agentId}/timeline` },
    { url: logs },
    { url: logs, headers: { accept: 'text/plain' } },
    { url: logs, headers: { accept: 'text/event-stream' } },
    { url: `/sessions/${sessionId}/agents` },
    { url: `/sessions/${sessionId}/messages` },
    { url: template },
    { url: `/projects/${projectId}/env-templates` },
    { url: '/monitoring/stats' },
    { method: 'PATCH' as const, url: template, payload: faulty },
    { method: 'PATCH' as const, url: template, payload: { variables: VARIABLES } },
    { method: 'POST' as const, url, payload: { role: 'light-agent' } },
  ];
  const answers: string[] = [];
  for (const request of requests) answers.push((await api.inject(ana, request)).body);
  return answers;
}

/** Gives every row of every table, and the command line of every process of this machine. */
export async function readMachine(databaseUrl: string): Promise<string[]> {
  await using database = openDatabase(databaseUrl);
  const tables = await database.sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public'`;
  const rows = tables.map(({ name }) => database.sql.unsafe(`select t::text from "${name}" t`));
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
  return [JSON.stringify(await Promise.all(rows)), ...(await Promise.all(lines))];
}

/** Gives what holds a key, a token or the secret of the media server; cut short, it is not all to be shown. */
export function leaksIn(said: readonly string[]): string[] {
  const { apiSecret } = testMedia();
  const isLeak = (one: string) => one.includes(KEY) || one.includes(apiSecret) || TOKEN.test(one);
  return said.filter(isLeak).map((one) => one.slice(0, 200));
}
