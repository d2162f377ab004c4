import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import {
  calls,
  fails,
  PLANTED_KEY,
  says,
  startScriptedModel,
} from '../../testing/scripted-model.ts';
import { DAY, findRooms, TOOL_KEY } from '../../testing/tools.ts';
import { agentEnvironment } from './agent-inputs.ts';
import { readChatInputs } from './chat-inputs.ts';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'chat-agent-'));
  return () => rm(folder, { recursive: true });
});

function template(port: number) {
  const { request, ...tool } = findRooms(port);
  return {
    name: 'Front desk',
    role: 'light-agent',
    instructions: 'The guest is {{guest}}.',
    greeting: 'Welcome, {{guest}}.',
    variables: [{ name: 'guest', required: true }],
    tools: [{ ...tool, request: { ...request, headers: { 'x-key': '{{env.HOTEL_KEY}}' } } }],
  };
}

async function run(args: readonly string[], lines: readonly string[]) {
  const program = path.join(import.meta.dirname, 'main.ts');
  const child = spawn(process.execPath, ['--conditions=@source', program, ...args], {
    env: { ...process.env, INIT_CWD: folder },
    stdio: 'pipe',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const [code] = await once(child, 'close');
  return { code: Number(code), output };
}

test('npm run chat runs an agent template with the values of its variables, and really calls its tools', async () => {
  await using server = await startScriptedModel(
    fails(200, `{"rooms":2,"key":${JSON.stringify(TOOL_KEY)}}`),
  );
  await using model = await startScriptedModel(calls(['find_rooms', DAY]), says('Two are free.'));
  await writeFile(path.join(folder, 'agent.json'), JSON.stringify(template(server.port)));
  await writeFile(
    path.join(folder, 'agent.env'),
    `LLM_API_KEY=${PLANTED_KEY}\nLLM_BASE_URL=${model.baseUrl}\nLLM_MODEL=m\nHOTEL_KEY='${TOOL_KEY}'\n`,
  );
  const args = ['--agent', 'agent.json', '--var', 'guest=Ada', '--template', 'agent.env'];
  const { code, output } = await run(args, ['Is there a room?']);
  const asked = '/v1/chat/completions';
  expect(model.requests.map((request) => request.path)).toEqual([asked, asked]);
  expect(output.split('\n')).toEqual([
    '  · state_change_notification ready: I am ready.',
    'agent: Welcome, Ada.',
    'you: Is there a room?',
    expect.stringMatching(
      /^ {2}· tool_call done: find_rooms: done in \d\.\d s \{"day":"2026-12-01"\} → \{"rooms":2,"key":/,
    ),
    'agent: Two are free.',
    '',
  ]);
  expect(code).toBe(0);
  expect(output).not.toContain('s3cret');
  expect(server.requests).toHaveLength(1);
  expect(server.requests[0]?.headers['x-key']).toBe(TOOL_KEY);
  expect(JSON.stringify(model.requests[0]?.body['messages'])).toContain('The guest is Ada.');
});

test.each<[string, string[], string]>([
  ['{', [], 'agent.json is not a JSON object. Correct the file.'],
  ['{"name":"x","role":"echo-agent"}', [], 'agent.json is not an agent template:\nrole: '],
  [JSON.stringify(template(9)), [], 'agent.json: The agent template needs a value for guest'],
  [JSON.stringify(template(9)), ['guest'], '--var guest: write it as name=value.'],
  [JSON.stringify(template(9)), ['guest=A', 'age=7'], 'The agent template has no variable age.'],
])('%s with %j says what is wrong', (text, pairs, message) => {
  expect(() => agentEnvironment(text, 'agent.json', pairs)).toThrow(message);
});

test('a template that the API returned runs unchanged, with its plan', async () => {
  const steps = [
    { title: 'Day', instructions: 'Ask {{guest}} for the day.', deliverable: 'The day' },
  ];
  const stored = {
    ...template(9),
    id: 'a',
    projectId: 'p',
    version: 3,
    createdBy: 'u',
    createdAt: '2026-11-21T08:00:00.000Z',
    updatedBy: 'u',
    updatedAt: '2026-11-21T08:00:00.000Z',
    language: null,
    tools: [],
    plan: { name: 'Booking', steps },
  };
  await writeFile(path.join(folder, 'stored.json'), JSON.stringify(stored));
  const args = ['--agent', 'stored.json', '--var', 'guest=Ada'];
  const { plan, toolSettings } = await readChatInputs(args, folder, {});
  expect(plan?.steps).toMatchObject([{ id: 'step-1', instructions: 'Ask Ada for the day.' }]);
  expect(toolSettings).toBeUndefined();
});

test('a tool whose secret the environment lacks, and options that do not fit, are said so', async () => {
  await writeFile(path.join(folder, 'bare.json'), JSON.stringify(template(9)));
  const agent = ['--agent', 'bare.json', '--var', 'guest=Ada'];
  const reading = (args: string[]) => readChatInputs(args, folder, {});
  await expect(reading(agent)).rejects.toThrow(
    'HOTEL_KEY is not set: the tool find_rooms sends it',
  );
  await expect(reading([...agent, '--plan', 'p.json'])).rejects.toThrow('leave --plan out');
  await expect(reading(['--var', 'guest=Ada'])).rejects.toThrow('name the template with --agent');
});
