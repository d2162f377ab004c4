import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findProgram } from '@session/agents';
import { createTestDatabase } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openTestAgents } from '../../../testing/agents.ts';
import { startApi } from '../../../testing/api-process.ts';

/** Prints how an attempt to read each of these files ends, and to write into its own folder. */
const SNOOP = `
  import fs from 'node:fs';
  for (const file of ['/proc/' + process.ppid + '/environ', '/proc/self/../1/environ', ...process.env.INSTRUCTIONS.split(':')]) {
    try {
      console.log(fs.readFileSync(file, 'utf8'));
    } catch ({ code }) {
      console.log(code);
    }
  }
  try {
    fs.writeFileSync(import.meta.dirname + '/new', '');
  } catch ({ code }) {
    console.log(code);
  }`;

test.skipIf(process.platform !== 'linux')(
  'an agent reads neither the API’s environment nor the stack’s secrets, and leaves no file',
  async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'checkout-'));
    onTestFinished(() => rm(root, { recursive: true }));
    const source = path.join(root, 'apps/light-agent/src');
    await mkdir(source, { recursive: true });
    await writeFile(path.join(source, 'main.ts'), SNOOP);
    const files = ['.env', 'secrets.json'].map((name) => path.join(root, name));
    for (const file of files) await writeFile(file, 'JWT_SECRET=hunter2');
    const findSnoop = (program: string) => findProgram(path.join(root, 'apps'), program);
    await using agents = await openTestAgents({ settings: { findProgram: findSnoop } });
    const { api, ana } = agents;
    const projectId = await api.createProject(ana);
    const sessionId = await api.createSession(ana, projectId);
    const variables = { LLM_API_KEY: 'sk-1234', INSTRUCTIONS: files.join(':') };
    const payload = { name: 'keys', variables };
    await api.inject(ana, { method: 'POST', url: `/projects/${projectId}/env-templates`, payload });
    await agents.open();
    const url = `/sessions/${sessionId}/agents`;
    const start = { method: 'POST' as const, url, payload: { role: 'light-agent' } };
    const { id } = (await api.inject(ana, start)).json();
    expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'completed' });
    const lines = (await agents.logs(id)).items.map(({ line }) => line);
    expect(lines).toEqual(Array.from({ length: 5 }, () => 'ERR_ACCESS_DENIED'));
    expect(await readdir(source)).toEqual(['main.ts']);
  },
);

test.skipIf(process.platform !== 'linux')(
  'the environment of an agent has no address of the database, past a pooler or not, and no secret of the API',
  async () => {
    await using database = await createTestDatabase();
    await using agents = await openTestAgents({ databaseUrl: database.url });
    const secrets = { DATABASE_DIRECT_URL: database.url, ENCRYPTION_KEY: 'k'.repeat(32) };
    await using _ = await startApi(database.url, agents.folder, secrets);
    const { id } = await agents.start();
    await agents.until(id, 'Running');
    const text = await readFile(`/proc/${await agents.pidOf(id)}/environ`, 'utf8');
    const names = text.split('\0').map((variable) => variable.split('=')[0]);
    expect(names).toContain('MEDIA_TOKEN');
    const hidden = /^(DATABASE_|ENCRYPTION_KEY|JWT_SECRET|MEDIA_API_)/;
    expect(names.filter((name = '') => hidden.test(name))).toEqual([]);
    expect(text).not.toContain(new URL(database.url).pathname);
  },
);

test.skipIf(process.platform !== 'linux')(
  'a template that would make Node write files is refused, the real echo agent is limited, and the API starts again',
  async () => {
    await using agents = await openTestAgents();
    const { api, ana } = agents;
    const projectId = await api.createProject(ana);
    const url = `/projects/${projectId}/env-templates`;
    for (const [name, value] of Object.entries({
      NODE_V8_COVERAGE: agents.folder,
      NODE_OPTIONS: `--report-on-signal --report-dir=${agents.folder}`,
      NODE_REDIRECT_WARNINGS: path.join(agents.folder, 'warnings.json'),
      OPENSSL_CONF: '/etc/passwd',
      SSLKEYLOGFILE: path.join(agents.folder, 'keys.json'),
      LD_DEBUG_OUTPUT: path.join(agents.folder, 'linker.json'),
    })) {
      const payload = { name, variables: { LLM_API_KEY: 'k', [name]: value } };
      const refused = await api.inject(ana, { method: 'POST', url, payload });
      expect([refused.statusCode, refused.body]).toEqual([400, expect.stringContaining(name)]);
    }
    const first = await agents.open();
    const { id } = await agents.start();
    await agents.until(id, 'Running');
    const command = await readFile(`/proc/${await agents.pidOf(id)}/cmdline`, 'utf8');
    expect(command.split('\0')).toContain('--permission');
    expect(await readdir(agents.folder)).toHaveLength(1);
    await first[Symbol.asyncDispose]();
    expect(await readdir(agents.folder)).toEqual([]);
    await writeFile(path.join(agents.folder, 'coverage-1-2-0.json'), '{"result":[]}');
    await agents.open();
    const next = await agents.start();
    await agents.until(next.id, 'Running');
  },
);
