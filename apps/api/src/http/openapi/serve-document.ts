import swagger, { type SwaggerTransform } from '@fastify/swagger';
import type { ZodApp } from '../zod-app.ts';
import { showDocs } from './docs-page.ts';
import { completeDocument, toJsonSchema } from './document.ts';

const DESCRIPTION = `Changes are additive: responses may gain fields, and every enumeration may gain values.

Every failure except that of \`GET /health\` is a problem (RFC 9457): its \`code\` identifies the failure, and its \`detail\` says what to do next. Each
operation lists all problems that it can return. Some requests are refused before they reach an operation: bytes that are not
HTTP (400), a request that does not arrive within 30 seconds (408), and headers of more than 16 KiB (431). A path answers
methods that it does not have with 405.

A body is JSON in UTF-8. No text may contain the character NUL or half of a character (an unpaired surrogate): neither could
be stored.

A list returns \`nextCursor\`. Send it as \`cursor\` to get the next page; on the last page it is null.`;

const TAGS = [
  { name: 'auth', description: 'Accounts and tokens.' },
  { name: 'projects', description: 'Projects own sessions, members and templates.' },
  { name: 'members', description: 'The users of a project, and what each of them may do.' },
  { name: 'invitations', description: 'Links by which people become members of a project.' },
  { name: 'api-keys', description: 'How a backend calls the API: keys, each for one project.' },
  { name: 'sessions', description: 'Conversations, each in a room of its own.' },
  {
    name: 'messages',
    description: 'The history of a session, and sending text without joining the room.',
  },
  { name: 'agents', description: 'Programs that take part in the conversation of a session.' },
  {
    name: 'agent-templates',
    description: 'Agent templates: who an agent is and what it can do, in versions.',
  },
  {
    name: 'webhooks',
    description: 'Servers of yours to which the messages of a project are sent.',
  },
  {
    name: 'erasures',
    description: 'Requests to forget messages, people and sessions, with their receipts.',
  },
  {
    name: 'env-templates',
    description: 'Environment templates: the variables that agents start with.',
  },
  {
    name: 'plan-templates',
    description: 'Plan templates: what an agent talks about, step by step.',
  },
  { name: 'operations', description: 'The state of the service itself.' },
];

export async function serveDocument(app: ZodApp, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Conversation Session Service',
        version,
        description: DESCRIPTION,
      },
      servers: [{ url: '/', description: 'The server that serves this document' }],
      tags: TAGS,
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description:
              'An API key of a project; the `token` that `POST /auth/signup` and `POST /auth/login` return, valid for 7 days; or the `accessToken` that `POST /sessions/{id}/token` returns for an end user.',
          },
        },
      },
    },
    transform: withSecurity,
    transformObject: completeDocument,
  });
  const options = { schema: { hide: true }, config: { public: true } };
  app.get('/openapi.json', options, () => app.swagger());
  await showDocs(app);
}

const withSecurity: SwaggerTransform = (document) => {
  const { schema: described, url } = toJsonSchema(document);
  const { problems = [], located = [], ...schema } = described;
  const security = document.route.config?.public === true ? [] : [{ bearer: [] }];
  return { schema: { ...schema, security, 'x-problems': problems, 'x-located': located }, url };
};
