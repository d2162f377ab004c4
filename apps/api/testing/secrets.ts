import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { openDatabase } from '@session/db';
import { testMedia } from '@session/testing';
import { pidsWith } from './agent-processes.ts';
import type { TestAgents } from './agents.ts';

const KEY = 'sk-hunter2-of-the-tests';
/** The beginning of every token. A redacted token in a log is shorter. */
const TOKEN = /eyJ\w/;
const VARIABLES = { LLM_API_KEY: KEY, ECHO_MODE: 'both' };

interface Ids {
  readonly agentId: string;
  readonly sessionId: string;
  readonly templateId: string;
}

/** A log stream. `read` closes it, and returns all that was written to it. */
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

export async function createSecrets({ api, ana }: TestAgents): Promise<Omit<Ids, 'agentId'>> {
  const projectId = await api.createProject(ana);
  const sessionId = await api.createSession(ana, projectId);
  const url = `/projects/${projectId}/env-templates`;
  const payload = { name: 'keys', variables: VARIABLES };
  const { id } = (await api.inject(ana, { method: 'POST', url, payload })).json();
  return { sessionId, templateId: id };
}

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

export async function readTables(databaseUrl: string): Promise<string> {
  await using database = openDatabase(databaseUrl);
  const tables = await database.sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public'`;
  const rows = tables.map(({ name }) => database.sql.unsafe(`select t::text from "${name}" t`));
  return JSON.stringify(await Promise.all(rows));
}

/** The command lines of other processes may hold tokens of other tests. */
export async function commandLinesOf(agentId: string): Promise<string[]> {
  const pids = await pidsWith(new Set([`AGENT_ID=${agentId}`]));
  // A process that has ended meanwhile has none.
  const lines = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
  return await Promise.all(lines);
}

/** Returns the texts with a key, a token or the media server's secret, cut short so that a failed test shows little. */
export function leaksIn(texts: readonly string[]): string[] {
  const { apiSecret } = testMedia();
  const isLeak = (part: string) =>
    part.includes(KEY) || part.includes(apiSecret) || TOKEN.test(part);
  return texts.filter(isLeak).map((part) => part.slice(0, 200));
}
