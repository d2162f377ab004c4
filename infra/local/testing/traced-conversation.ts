import { type Client, createClient, type Message } from '@session/client';
import { fails, says, startScriptedModel } from '@session/conversation/testing';
import { onTestFinished } from 'vitest';
import type { StackFile } from '../src/stack/stack-file.ts';
import { makeStackFolder, type StackRun, startTestStack, until } from './stack.ts';
import { joinAsTalker, PLAN } from './talk.ts';

/** A word in all texts and names of this conversation's people, templates and models, in lower or upper case. */
export const PLANTED = 'planted';

/** A conversation of a person with an agent, on a stack whose programs are traced. */
export interface TracedConversation {
  readonly run: StackRun;
  readonly stack: StackFile;
  readonly agentId: string;
  readonly messages: readonly Message[];
  /** Secrets of the people that do not contain `PLANTED`. */
  readonly tokens: readonly string[];
}

/** Starts a stack with the variables, and talks with an agent until it has answered once, and has been refused by its model. */
export async function haveTracedConversation(
  name: string,
  env: NodeJS.ProcessEnv,
): Promise<TracedConversation> {
  const answer = `A ${PLANTED} answer.`;
  const words = `My ${PLANTED} words`;
  const model = await startScriptedModel(says(answer), fails(401));
  onTestFinished(() => model[Symbol.asyncDispose]());
  const run = startTestStack(await makeStackFolder(name), env);
  const stack = await run.up();
  const { client, token } = await signUp(stack.apiUrl);
  const { id: projectId } = await client.projects.create({ name: `A ${PLANTED} project` });
  const session = await client.sessions.create(projectId, { name: `A ${PLANTED} session` });
  const variables = {
    LLM_API_KEY: `sk-${PLANTED}-secret`,
    LLM_BASE_URL: model.baseUrl,
    LLM_MODEL: `${PLANTED}-model`,
    INSTRUCTIONS: `You are called ${PLANTED}.`,
    GREETING: 'off',
  };
  const plan = { ...PLAN, name: `A ${PLANTED} plan` };
  const template = await client.envTemplates.create(projectId, { name: PLANTED, variables });
  const { id: planId } = await client.planTemplates.create(projectId, plan);
  await until(async () => (await client.sessions.get(session.id)).recording.status === 'recording');
  const { serverUrl: url, participantToken } = await client.sessions.createToken(session.id);
  const person = await joinAsTalker({ url, token: participantToken });
  const { id: agentId } = await client.agents.start(session.id, {
    role: 'light-agent',
    planId,
    envTemplateId: template.id,
  });
  await client.agents.untilRunning(agentId);
  await person.room.say(words);
  await person.untilHeard(answer);
  await person.room.say(`More ${PLANTED} words`);
  await until(async () => model.requests.length > 1);
  // What a client types in an address, and a login that is refused.
  await fetch(`${stack.apiUrl}/${PLANTED}?${PLANTED}=${PLANTED}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await client.auth.logIn({ ...ACCOUNT, password: `not ${PLANTED}` }).catch(() => {});
  const messages = await until(async () => {
    const stored = await client.messages.list(session.id).toArray({ limit: 100 });
    const found = stored.filter(({ content }) => [words, answer].includes(content));
    return found.length === 2 && found;
  });
  return { run, stack, agentId, messages, tokens: [token, participantToken] };
}

const ACCOUNT = {
  email: `${PLANTED}@example.com`,
  password: `A ${PLANTED} password`,
  name: `A ${PLANTED} person`,
};

async function signUp(baseUrl: string): Promise<{ client: Client; token: string }> {
  const { token } = await createClient({ baseUrl }).auth.signUp(ACCOUNT);
  return { client: createClient({ baseUrl, token: () => token }), token };
}
