import { EMPTY_DEFINITION } from '../src/features/agent-templates/definition.ts';
import { apiTest } from './api-test.ts';

/** A template with a variable in each kind of text. */
export const DESK = {
  name: 'Front desk',
  role: 'light-agent',
  instructions: 'You take bookings for {{hotel}}.',
  greeting: 'Welcome to {{hotel}}, {{guest}}.',
  language: 'en',
  timeZone: 'Europe/Rome',
  model: { name: 'small', temperature: 0.3 },
  limits: { budgetTokens: 1000 },
  failureMessage: 'One moment, {{guest}}.',
  variables: [
    { name: 'hotel', default: 'our hotel' },
    { name: 'guest', required: true, maxLength: 20 },
  ],
  plan: { name: 'Booking', steps: [{ title: 'Day', instructions: 'Ask {{guest}} for the day.' }] },
  tools: [
    {
      name: 'find_rooms',
      description: 'Finds the free rooms of {{hotel}}.',
      parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
      request: {
        method: 'GET',
        url: 'https://api.hotel.example/rooms?day={day}&for={{guest}}',
        headers: { authorization: 'Bearer {{env.HOTEL_KEY}}' },
      },
    },
  ],
  mcpServers: [],
  endConversation: {},
  answers: 'first',
  handover: { persons: { say: 'I call a colleague, {{guest}}.', waitSeconds: 60 } },
};

/** A definition with a tool, `find_rooms`, whose server does not exist. */
export const WITH_TOOL = {
  ...EMPTY_DEFINITION,
  tools: [
    {
      name: 'find_rooms',
      description: 'Finds rooms.',
      parameters: { type: 'object', properties: {} },
      request: { method: 'GET', url: 'https://rooms.invalid/' },
    },
  ],
};

/** Returns the id of a template at this path. */
export function idOf(path: string): string {
  return path.split('/').at(-1) ?? '';
}

/** As `apiTest`, with `templates`: the agent templates of a new project of `ana`. */
export const agentTemplateTest = apiTest.extend('templates', ({ api, ana, projectId }) => {
  const url = `/projects/${projectId}/agent-templates`;
  const ask = (method: 'DELETE' | 'GET' | 'PATCH' | 'POST', path: string, payload?: object) =>
    api.inject(ana, { method, url: path, ...(payload && { payload }) });
  return {
    url,
    ask,
    post: (payload: object) => ask('POST', url, payload),
    /** Returns the path of a new template. */
    create: async (part: object = {}) =>
      String((await ask('POST', url, { ...DESK, ...part })).headers.location),
  };
});
