import swagger, { type SwaggerTransform } from '@fastify/swagger';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../zod-app.ts';
import { showDocs } from './docs-page.ts';
import { completeDocument, toJsonSchema } from './openapi-document.ts';
import { listProblems } from './openapi-problems.ts';

const DESCRIPTION = `Changes are additive: answers may get more fields, and every enumeration may get more values.

Every failure is a problem (RFC 9457), whose \`code\` says which one and whose \`detail\` says what to do next. Each operation
lists all that it can answer. What never becomes a request is refused before any operation: bytes that are no HTTP (400), a
request that does not arrive within 30 seconds (408), and more than 16 KiB of headers (431). A path answers methods that it
does not have with 405.

No text may hold the character NUL, or half of a character (a lone surrogate): neither could be kept.

A list gives \`nextCursor\`, which as \`cursor\` gives the next page; it is null on the last one.`;

const TAGS = [
  { name: 'auth', description: 'Accounts: who calls.' },
  { name: 'projects', description: 'What sessions, members and templates belong to.' },
  { name: 'members', description: 'Who may do what in a project.' },
  { name: 'sessions', description: 'Conversations, each in a room of its own.' },
  { name: 'messages', description: 'The history of a session, and speaking without a room.' },
  { name: 'agents', description: "The programs that take part in a session's conversation." },
  { name: 'env-templates', description: 'The variables that agents are started with.' },
  { name: 'plan-templates', description: 'What an agent is to talk about, step by step.' },
  { name: 'operations', description: 'How the service itself is doing.' },
];

/** Makes the OpenAPI document from the schemas of the routes that follow, and serves it where the configuration says so. */
export async function describeRoutes(app: ZodApp, { config, version }: Deps): Promise<void> {
  app.addHook('onRoute', listProblems);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Conversation Session Service',
        version,
        description: DESCRIPTION,
      },
      servers: [{ url: '/', description: 'Where this document is served' }],
      tags: TAGS,
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: '`token` of `POST /auth/signup` or `POST /auth/login`; valid for 7 days.',
          },
        },
      },
    },
    transform: withSecurity,
    transformObject: completeDocument,
  });
  if (config.http.hasDocs) {
    const options = { schema: { hide: true }, config: { public: true } };
    app.get('/openapi.json', options, () => app.swagger());
    await showDocs(app);
  }
}

/** Says of each route whether it asks for a token, and which problems it lists: `completeDocument` shows those. */
const withSecurity: SwaggerTransform = (document) => {
  const { schema: described, url } = toJsonSchema(document);
  const { problems = [], ...schema } = described;
  const security = document.route.config?.public === true ? [] : [{ bearer: [] }];
  return { schema: { ...schema, security, 'x-problems': problems }, url };
};
