import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openConversation, PERSONA } from '../../testing/read-turn.ts';
import {
  begin,
  calls,
  fails,
  PLANTED_KEY,
  type Reply,
  says,
  sendWords,
  startScriptedModel,
} from '../../testing/scripted-model.ts';
import { chat } from './chat.ts';
import { readChatInputs } from './chat-inputs.ts';

const PLAN = {
  name: 'Booking',
  steps: [
    { title: 'Day', instructions: 'Ask for the day.', deliverable: { title: 'Day', type: 'date' } },
  ],
};

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'chat-'));
  await writeFile(path.join(folder, 'plan.json'), JSON.stringify(PLAN));
  await writeFile(path.join(folder, 'bad.json'), '{"name": "x", "steps": [{"title": "a"}]}');
  await writeFile(
    path.join(folder, 'good.env'),
    'LLM_API_KEY="rehearsal"\n# a comment\nTIME_ZONE=Europe/Berlin\nTIMEZONE=UTC\n',
  );
  await writeFile(
    path.join(folder, 'bad.env'),
    `LLM_BASE_URL=there\nLLM_TURN_MS=-1\nSTT_API_KEY=${PLANTED_KEY} x\n`,
  );
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Runs the program as `npm run chat` does, with these lines as its input. */
async function run(args: readonly string[], lines: readonly string[], env = {}) {
  const program = path.join(import.meta.dirname, 'main.ts');
  const child = spawn(process.execPath, ['--conditions=@source', program, ...args], {
    env: { ...process.env, INIT_CWD: folder, ...env },
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

describe('npm run chat', () => {
  test('talks about a plan with the lines of a pipe, and shows every event', async () => {
    const { code, output } = await run(
      ['--plan', 'plan.json'],
      ['soon', '', '24 Nov 2026', 'Thanks'],
    );
    expect(output.split('\n')).toEqual([
      '  · state_change_notification ready: I am ready.',
      '  · complete_todo_list: 0 of 1 steps done',
      '  · state_change_notification step_started: Now: Day',
      expect.stringContaining('agent: Hello! I am the rehearsal model'),
      'you: soon',
      expect.stringContaining('agent: That did not work: value of deliverable-1 must be a date'),
      'you: 24 Nov 2026',
      '  · plan_deliverable_update: Day: 2026-11-24',
      '  · complete_todo_list: 1 of 1 steps done',
      '  · state_change_notification plan_completed: Completed: Booking',
      'agent: Noted. That was the whole plan. Thank you!',
      'you: Thanks',
      'agent: You said: Thanks',
      '',
    ]);
    expect(code).toBe(0);
  });

  test('takes a template, and ends with 1 when a turn had no answer', async () => {
    await using model = await startScriptedModel(fails(401));
    const template = path.join(folder, 'scripted.env');
    await writeFile(
      template,
      `LLM_API_KEY=${PLANTED_KEY}\nLLM_BASE_URL=${model.baseUrl}\nLLM_MODEL=m\n`,
    );
    const { code, output } = await run(['--plan', 'plan.json', '--template', template], ['Hello']);
    expect(output).toContain('  · state_change_notification degraded: The language model refuses');
    expect(output).toContain('  ! model_refused: the endpoint answered HTTP 401\n');
    expect(output).not.toContain(PLANTED_KEY);
    expect(code).toBe(1);
  });

  test('converses without a plan', async () => {
    const { code, output } = await run([], ['Hello']);
    expect(output.split('\n')).toEqual([
      '  · state_change_notification ready: I am ready.',
      expect.stringMatching(/^agent: Hello! I am the rehearsal model.* There is no plan/),
      'you: Hello',
      'agent: You said: Hello',
      '',
    ]);
    expect(code).toBe(0);
  });

  test('gives up after three refusals', async () => {
    await using model = await startScriptedModel(fails(401));
    const template = path.join(folder, 'refused.env');
    await writeFile(
      template,
      `LLM_API_KEY=x\nLLM_BASE_URL=${model.baseUrl}\nLLM_MODEL=m\nGREETING=off\n`,
    );
    const args = ['--plan', 'plan.json', '--template', template];
    const { code, output } = await run(args, ['a', 'b', 'c', 'd']);
    expect(output).toContain('check LLM_API_KEY, LLM_BASE_URL and LLM_MODEL');
    expect(output).not.toContain('you: d');
    expect(code).toBe(1);
    expect(model.requests).toHaveLength(3);
  });

  test.each([
    [['--plam', 'x'], "Unknown option '--plam'\n\nUsage: npm run chat -- [--agent"],
    [['plan.json', 'good.env'], 'There is more than one plan: good.env'],
    [['--plan', 'missing.json'], 'missing.json: There is no such file.'],
    [['--plan', 'bad.json'], 'bad.json: steps.0.instructions: '],
    [['--plan', 'good.env'], 'good.env is not valid JSON.\n\nCorrect the plan and try again.'],
    [['--plan', 'plan.json', '--template', 'missing.env'], 'missing.env: There is no such file.'],
  ])('%j says what to do, without a stack trace', async (args, message) => {
    const { code, output } = await run(args, []);
    expect(output).toContain(message);
    expect(output).not.toMatch(/^ +at /m);
    expect(code).toBe(1);
  });

  test('a bad template: every variable and its rule, no value', async () => {
    const reading = readChatInputs(['--plan', 'plan.json', '--template', 'bad.env'], folder, {});
    await expect(reading).rejects.toThrow(
      [
        'LLM_API_KEY is not set: a value is needed',
        'LLM_BASE_URL is not valid: an http:// or https:// URL',
        'LLM_TURN_MS is not valid: a whole number from 100 to 3600000',
        'STT_API_KEY is not valid: visible ASCII characters without spaces, at most 4096',
        '',
        'Correct these lines of bad.env and try again.',
      ].join('\n'),
    );
  });

  test('a good template, with comments and quotes', async () => {
    const args = ['--plan', 'plan.json', '--template', 'good.env'];
    const { plan, settings, unknownVariables } = await readChatInputs(args, folder, {});
    expect(plan?.steps.map(({ id }) => id)).toEqual(['step-1']);
    expect(unknownVariables).toEqual(['TIMEZONE']);
    expect(settings).toMatchObject({
      model: { apiKey: 'rehearsal' },
      persona: { timeZone: 'Europe/Berlin' },
    });
  });
});

/** Streams an answer that never ends. */
const sings: Reply = (response) => {
  begin(response);
  sendWords(response, 'la la');
};

describe('in a terminal', () => {
  test('a new line interrupts the answer', async () => {
    await using model = await startScriptedModel(sings, says('Good night.'));
    const persona = { ...PERSONA, greeting: 'off' };
    await using talk = openConversation(model, { settings: { model: model.settings, persona } });
    const input = new PassThrough();
    let output = '';
    const write = (text: string) => {
      output += text;
    };
    const { conversation } = talk;
    const { signal } = new AbortController();
    const chatting = chat({ conversation, input, write, isTerminal: true }, signal);
    input.write('Sing\n');
    await expect.poll(() => output).toContain('agent: la la');
    input.write('Stop\n');
    await expect.poll(() => output).toContain('agent: Good night.');
    input.end();
    expect(await chatting).toBe(true);
    expect(output).toContain('agent: la la\n  ! interrupted\n');
    expect(model.requests[0]?.gone.aborted).toBe(true);
  });

  test('a greeting that ends the conversation ends it at once', async () => {
    const end = calls(['end_conversation', { reason: 'x' }]);
    await using model = await startScriptedModel(end, says('Bye!'));
    await using talk = openConversation(model, { ownTools: { endConversation: true } });
    let output = '';
    const write = (text: string) => {
      output += text;
    };
    const { conversation } = talk;
    const input = new PassThrough();
    await chat({ conversation, input, write, isTerminal: true }, new AbortController().signal);
    expect(output).toContain('  · The agent ended the conversation.\n');
    expect(model.requests).toHaveLength(2);
  });

  test('Ctrl-C ends it in mid-sentence', async () => {
    await using model = await startScriptedModel(sings);
    await using talk = openConversation(model);
    const input = new PassThrough();
    const stop = new AbortController();
    const write = (text: string) => {
      if (text.includes('la la')) stop.abort();
    };
    const { conversation } = talk;
    await chat({ conversation, input, write, isTerminal: true }, stop.signal);
    expect(stop.signal.aborted).toBe(true);
  });

  test('a model’s words cannot move the cursor', async () => {
    await using model = await startScriptedModel(says('\u001b[2Jred\u0007\nline'));
    await using talk = openConversation(model);
    let output = '';
    const write = (text: string) => {
      output += text;
    };
    const { conversation } = talk;
    const input = new PassThrough().end();
    await chat({ conversation, input, write, isTerminal: false }, new AbortController().signal);
    expect(output).toContain('agent: [2Jred\nline');
  });
});
