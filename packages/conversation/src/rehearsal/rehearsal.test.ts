import { describe, expect, test } from 'vitest';
import { AT, BOOKING, SESSION_ID } from '../../testing/plans.ts';
import { PERSONA, readTurn } from '../../testing/read-turn.ts';
import { modelSettings } from '../../testing/scripted-model.ts';
import { ConversationCore } from '../turn/conversation.ts';
import { openModel } from './open-model.ts';
import { startRehearsalServer } from './rehearsal-server.ts';

const REHEARSAL = modelSettings({ apiKey: 'rehearsal' });
const { signal } = new AbortController();

test('the rehearsal model walks a plan to its end, over the same HTTP as any other', async () => {
  await using model = await openModel(REHEARSAL);
  await using conversation = new ConversationCore({
    settings: { model: REHEARSAL, persona: PERSONA },
    model: model.client,
    sessionId: SESSION_ID,
    plan: BOOKING,
    now: () => new Date(AT),
  });
  const greeting = await readTurn(conversation.greet(signal));
  expect(greeting.text).toBe(
    'Hello! I am the rehearsal model, not a language model: I only walk through the plan. Please tell me: Customer.',
  );
  const said = [];
  for (const text of [
    'John Smith',
    'an attic',
    'sea VIEW',
    'back to name',
    'Jane',
    'Garden',
    'ok',
    'Bye',
  ]) {
    const turn = await readTurn(conversation.answer([{ text }], signal));
    said.push([turn.text, turn.events.map(({ message }) => message)]);
  }
  expect(said).toEqual([
    [
      'Noted. Please tell me: Room (Sea view, Garden).',
      ['Customer: John Smith', '1 of 3 steps done', 'Now: The room'],
    ],
    [
      'That did not work: value of room must be one of: Sea view, Garden. Please tell me: Room (Sea view, Garden).',
      [],
    ],
    ['Noted. Farewell: shall we go on?', ['Room: Sea view', '2 of 3 steps done', 'Now: Farewell']],
    [
      'Noted. Please tell me: Customer.',
      ['1 of 3 steps done', 'Again: Your name (the user asked for it)'],
    ],
    ['Noted. Farewell: shall we go on?', ['Customer: Jane', '2 of 3 steps done', 'Now: Farewell']],
    ['Noted. That was the whole plan. Thank you!', ['3 of 3 steps done', 'Completed: Booking']],
    ['You said: ok', []],
    ['You said: Bye', []],
  ]);
  expect(conversation.planState?.deliverables.map(({ value }) => value)).toEqual([
    'Jane',
    'Sea view',
  ]);
});

test('without a plan the rehearsal model says so, and says back what people say', async () => {
  await using model = await openModel(REHEARSAL);
  await using conversation = new ConversationCore({
    settings: { model: REHEARSAL, persona: PERSONA },
    model: model.client,
    sessionId: SESSION_ID,
    plan: undefined,
    now: () => new Date(AT),
  });
  expect((await readTurn(conversation.greet(signal))).text).toMatch(/There is no plan/);
  const turn = await readTurn(conversation.answer([{ text: 'Good morning' }], signal));
  expect(turn.text).toBe('You said: Good morning');
});

/** Sends a request to the server without our model client. */
async function ask(baseUrl: string, path: string, init: RequestInit) {
  const response = await fetch(`${baseUrl}${path}`, init);
  return { status: response.status, body: await response.text() };
}

describe('the rehearsal server', () => {
  const authorization = 'Bearer rehearsal';

  test('answers nobody without its key, so no web page can use it', async () => {
    await using server = await startRehearsalServer();
    expect(await ask(server.baseUrl, '/models', {})).toMatchObject({ status: 401 });
    const init = { method: 'POST', body: '{}', headers: { authorization: 'Bearer other' } };
    expect(await ask(server.baseUrl, '/chat/completions', init)).toMatchObject({ status: 401 });
  });

  test('offers one model', async () => {
    await using server = await startRehearsalServer();
    const { body } = await ask(server.baseUrl, '/models', { headers: { authorization } });
    expect(JSON.parse(body)).toMatchObject({ data: [{ id: 'rehearsal' }] });
  });

  test.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['no messages', '{}'],
    ['more than 4 MiB', 'x'.repeat(4_194_305)],
  ])('refuses %s', async (_, body) => {
    await using server = await startRehearsalServer();
    const init = { method: 'POST', body, headers: { authorization } };
    expect((await ask(server.baseUrl, '/chat/completions', init)).status).toBe(400);
  });

  test('knows no other operation', async () => {
    await using server = await startRehearsalServer();
    const init = { method: 'POST', body: '{}', headers: { authorization } };
    expect((await ask(server.baseUrl, '/embeddings', init)).status).toBe(404);
  });
});
